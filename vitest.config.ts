import { configDefaults, defineConfig } from 'vitest/config';

// Writes a machine-readable report for `scripts/count-tests.mjs`, in addition to the printed one.
const reportFile = process.env.TEST_REPORT_FILE;

const conformance = (...names: string[]) => names.map((name) => `tests/conformance/${name}.test.ts`);
/** Conformance tests that the default set also runs inside Appium. The slow set runs all others inside Appium. */
const MOUNTED = conformance('answers', 'guard-order');
const SLOW = '**/*.slow.test.ts';
/** Tests that run while no page is open. They add network addresses, and Chromium then drops all its connections. */
const NETWORKS = ['tests/containers/compose.slow.test.ts', 'tests/hub/namespaces.slow.test.ts'];
/** Conformance tests that take long and do not touch Appium. The slow set runs them on the API alone. */
const LONG_ON_API = [
  ...conformance('audit', 'bad-bodies', 'break-glass', 'locked', 'metrics', 'oidc', 'passkeys', 'revocation'),
  ...conformance('refused-grants', 'scim', 'token-limits', 'workloads'),
];
/** Conformance tests that take long. The slow set runs them on the API alone and inside Appium. */
const LONG = [
  ...conformance(
    'api-keys',
    'bad-requests',
    'bearer',
    'config',
    'events',
    'lifecycle',
    'profile-tokens',
    'queue',
  ),
  ...conformance('rate-limits', 'protocols', 'recordings', 'unavailable', 'users'),
];
/** Conformance tests of routes that a server without phones has, too. The slow set also runs them on such a server. */
const ACCOUNTS = [
  ...conformance(
    'api-keys',
    'bearer',
    'break-glass',
    'config',
    'credentials',
    'locked',
    'profile-tokens',
    'scim',
  ),
  ...conformance('audit', 'oidc', 'teams', 'terminal-sign-ins', 'trust-rules', 'users', 'workloads'),
];
/** Tests that run with a few rounds in the default set, and with all rounds in the slow set. */
const IN_ROUNDS = ['tests/fuzz/**/*.test.ts', 'packages/auth-core/test/known-callers.test.ts'];

/** Longer time limit for `expect.poll` than the default of one second, because a busy machine may be slow. */
const POLLING = { poll: { timeout: 20_000 } } as const;
const SERVERS = {
  environment: 'node',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: POLLING,
  globalSetup: './scripts/lib/bundle-api.mjs',
  setupFiles: './tests/support/end-of-file.ts',
  // Node.js loads compiled packages without Vitest, which would transform them again for each file.
  server: { deps: { external: [/\/(?:packages|apps)\/[^/]+\/dist\//] } },
};

// `pnpm test` runs every project except the slow ones, which `pnpm test:slow` runs. A file named on the command line of
// vitest runs in each project that includes it.
export default defineConfig({
  test: {
    maxWorkers: 2,
    retry: 0,
    teardownTimeout: 20_000,
    reporters: reportFile ? ['default', ['json', { outputFile: reportFile }]] : ['default'],
    projects: [
      {
        // Tests import the modules of their own package from `src`. The stores must see the same modules, because
        // errors are told apart by class.
        resolve: {
          alias: [
            {
              find: /^@svc\/(auth-core|store-sqlite)(\/testing)?$/,
              replacement: `${import.meta.dirname}/packages/$1/src$2/index.ts`,
            },
          ],
        },
        test: {
          name: 'unit',
          // No state in these files outlives its test, so the modules are loaded once, which halves the time.
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
        // Uses the dashboard's build configuration, so that tests load the same modules as the pages.
        extends: './apps/dashboard/vite.config.ts',
        test: {
          name: 'dashboard',
          isolate: false,
          environment: 'node',
          include: ['apps/dashboard/test/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          ...SERVERS,
          name: 'integration',
          // Files share the modules, which would otherwise be loaded once per file.
          isolate: false,
          include: ['tests/**/*.test.ts'],
          // `pnpm test:clients` runs these.
          exclude: [...configDefaults.exclude, SLOW, 'tests/clients/**', ...LONG, ...LONG_ON_API],
          env: { CONFORMANCE_TARGET: 'api', FUZZ_TARGETS: '200', FUZZ_CREATES: '200' },
        },
      },
      {
        test: {
          ...SERVERS,
          name: 'mounted',
          isolate: false,
          include: MOUNTED,
          env: { CONFORMANCE_TARGET: 'appium' },
        },
      },
      {
        test: {
          ...SERVERS,
          name: 'slow',
          include: [SLOW, 'tests/conformance/**/*.test.ts', ...IN_ROUNDS],
          exclude: [...configDefaults.exclude, ...MOUNTED, ...NETWORKS, ...LONG_ON_API],
          env: {
            CONFORMANCE_TARGET: 'appium',
            PROPERTY_RUNS: '60',
            FUZZ_TARGETS: process.env.FUZZ_TARGETS ?? '2000',
            FUZZ_CREATES: process.env.FUZZ_CREATES ?? '2000',
          },
        },
      },
      {
        test: {
          ...SERVERS,
          name: 'slow-api',
          include: [...LONG, ...LONG_ON_API],
          env: { CONFORMANCE_TARGET: 'api' },
        },
      },
      {
        test: {
          ...SERVERS,
          name: 'slow-accounts',
          include: ACCOUNTS,
          env: { CONFORMANCE_TARGET: 'accounts' },
        },
      },
      {
        test: { ...SERVERS, name: 'slow-networks', include: NETWORKS, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
