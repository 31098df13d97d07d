import { configDefaults, defineConfig } from 'vitest/config';

// A machine-readable report besides the printed one, for `scripts/count-tests.mjs`.
const reportFile = process.env.TEST_REPORT_FILE;

/** The conformance files that the default set runs inside Appium too; `slow` runs the others there. */
const MOUNTED = ['answers', 'guard-order'].map((name) => `tests/conformance/${name}.test.ts`);
const SLOW = '**/*.slow.test.ts';
/** They add addresses to the machine, at which Chromium lets go of every connection: so while no page is open. */
const NETWORKS = ['tests/containers/compose.slow.test.ts', 'tests/hub/namespaces.slow.test.ts'];
/** Run twice: a few rounds in the default set, all of them in `slow`. */
const IN_ROUNDS = ['tests/fuzz/**/*.test.ts', 'packages/auth-core/test/known-callers.test.ts'];

/** What is polled for may come late on a busy machine; the default is a second. */
const PATIENT = { poll: { timeout: 20_000 } } as const;
const SERVERS = { environment: 'node', testTimeout: 60_000, hookTimeout: 60_000, expect: PATIENT } as const;

// `pnpm test` runs every project but the slow ones, `pnpm test:slow` those. A file named on the command line of vitest
// runs in whichever includes it.
export default defineConfig({
  test: {
    maxWorkers: 2,
    retry: 0,
    teardownTimeout: 20_000,
    reporters: reportFile ? ['default', ['json', { outputFile: reportFile }]] : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          // Nothing in these files outlives its test; loading the modules once for all saves half the time.
          isolate: false,
          environment: 'node',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW, 'apps/dashboard/**'],
          env: { PROPERTY_RUNS: '12' },
          expect: { poll: { timeout: 8_000 } },
          testTimeout: 10_000,
          hookTimeout: 10_000,
        },
      },
      {
        // With the dashboard's build: its modules as the pages get them.
        extends: './apps/dashboard/vite.config.ts',
        test: { name: 'dashboard', environment: 'node', include: ['apps/dashboard/test/**/*.test.{ts,tsx}'] },
      },
      {
        test: {
          ...SERVERS,
          name: 'integration',
          include: ['tests/**/*.test.ts'],
          // `pnpm test:clients` runs these.
          exclude: [...configDefaults.exclude, SLOW, 'tests/clients/**'],
          env: { CONFORMANCE_TARGET: 'api', FUZZ_TARGETS: '200', FUZZ_CREATES: '200' },
        },
      },
      {
        test: { ...SERVERS, name: 'mounted', include: MOUNTED, env: { CONFORMANCE_TARGET: 'appium' } },
      },
      {
        test: {
          ...SERVERS,
          name: 'slow',
          include: [SLOW, 'tests/conformance/**/*.test.ts', ...IN_ROUNDS],
          exclude: [...configDefaults.exclude, ...MOUNTED, ...NETWORKS],
          env: {
            CONFORMANCE_TARGET: 'appium',
            PROPERTY_RUNS: '60',
            FUZZ_TARGETS: process.env.FUZZ_TARGETS ?? '2000',
            FUZZ_CREATES: process.env.FUZZ_CREATES ?? '2000',
          },
        },
      },
      {
        test: { ...SERVERS, name: 'slow-networks', include: NETWORKS, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
