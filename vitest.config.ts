import { configDefaults, defineConfig } from 'vitest/config';

// A machine-readable report besides the printed one, for whoever counts results.
const reportFile = process.env.TEST_REPORT_FILE;

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
          environment: 'node',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
          testTimeout: 10_000,
          hookTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'integration',
          environment: 'node',
          include: ['tests/**/*.test.ts'],
          // `pnpm test:clients` runs these.
          exclude: [...configDefaults.exclude, 'tests/clients/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
