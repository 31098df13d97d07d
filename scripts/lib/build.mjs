import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dropAppiumCache } from './appium-cache.mjs';
import { bundleApi } from './bundle-api.mjs';
import { compileAll, filesIn, writtenAt } from './compile.mjs';
import { root, runBin } from './run.mjs';

/**
 * Builds what has changed since the last build, as `pnpm build` does, but without checking types.
 * @param report called with a line about each step that took long enough to be noticed
 */
async function buildQuickly(report = () => {}) {
  const compiled = compileAll((done, all) => {
    if (done % 5 === 0 || done === all) report(`${done} of ${all} packages are compiled`);
  });
  const isChanged = compiled.length > 0;
  if (compiled.includes('packages/contract'))
    await import(pathToFileURL(join(root, 'packages/contract/write-open-api.mjs')));
  if (arePagesOld()) {
    const status = await runBin('vite', ['build'], { cwd: 'apps/dashboard', quiet: true });
    if (status !== 0) process.exit(status);
    report('the pages are built');
  }
  if (isChanged || writtenAt(join(root, 'apps/api/dist/main.js')) === 0) {
    await bundleApi();
    report('the API is bundled');
  }
  if (isChanged) dropAppiumCache();
}

/** @returns whether a file that the pages are built from is newer than the pages */
function arePagesOld() {
  const dashboard = join(root, 'apps/dashboard');
  const sources = [
    ...['src', 'vite', 'public'].flatMap((folder) => filesIn(join(dashboard, folder))),
    ...['vite.config.ts', 'package.json', 'home.html', 'not-found.html'].map((file) => join(dashboard, file)),
    ...filesIn(join(root, 'packages/contract/src')),
    ...filesIn(join(root, 'packages/client/src')),
  ];
  const builtAt = writtenAt(join(dashboard, 'dist/.vite/manifest.json'));
  return sources.some((file) => writtenAt(file) > builtAt);
}

/** Builds everything with `tsc`, which checks types and writes declarations. @returns the exit code */
export async function buildAll({ quiet = true } = {}) {
  const status = await runBin('turbo', ['run', 'build', '--filter=!svc'], {
    env: { TURBO_TELEMETRY_DISABLED: '1' },
    quiet,
  });
  if (status === 0) dropAppiumCache();
  return status;
}

/** Builds quickly, and ends the process if that fails. */
export async function buildOrExit(report) {
  try {
    await buildQuickly(report);
  } catch (error) {
    process.stderr.write(`The build failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
