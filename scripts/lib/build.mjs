import { dropAppiumCache } from './appium-cache.mjs';
import { runBin } from './run.mjs';

/**
 * Builds all packages that have changed since the last build.
 * @returns the exit code
 */
export async function buildAll({ quiet = true } = {}) {
  const status = await runBin('turbo', ['run', 'build', '--filter=!svc'], {
    env: { TURBO_TELEMETRY_DISABLED: '1' },
    quiet,
  });
  if (status === 0) dropAppiumCache();
  return status;
}

/** Builds, and ends the process if that fails. */
export async function buildOrExit() {
  const status = await buildAll();
  if (status !== 0) process.exit(status);
}
