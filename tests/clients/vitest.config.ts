import { defineConfig } from 'vitest/config';

// Not part of the default set: it installs clients from PyPI and Maven.
const reportFile = process.env.TEST_REPORT_FILE;

export default defineConfig({
  test: {
    name: 'clients',
    environment: 'node',
    include: ['tests/clients/**/*.test.ts'],
    globalSetup: ['tests/clients/global-setup.ts'],
    setupFiles: ['tests/support/end-of-file.ts'],
    root: new URL('../..', import.meta.url).pathname,
    retry: 0,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: reportFile ? ['default', ['json', { outputFile: reportFile }]] : ['default'],
  },
});
