import { statSync } from 'node:fs';
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
  // The check of types compiles the contract, too, but does not write this file.
  if (
    isOutOfDate('packages/contract/dist/openapi.json', [
      'packages/contract/src',
      'packages/contract/package.json',
    ])
  )
    await import(pathToFileURL(join(root, 'packages/contract/write-open-api.mjs')));
  const old = PAGES.filter(arePagesOld);
  // Side by side, so that the documentation takes no time of its own on two cores.
  const statuses = await Promise.all(
    old.map(({ folder }) => runBin('vite', ['build'], { cwd: folder, quiet: true })),
  );
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) process.exit(failed);
  if (old.length > 0) report('the pages are built');
  if (isChanged || writtenAt(join(root, 'apps/api/dist/main.js')) === 0) {
    await bundleApi();
    report('the API is bundled');
  }
  if (isChanged) dropAppiumCache();
}

/** Packages of pages, with the files and folders that each is built from. */
const PAGES = [
  {
    folder: 'apps/dashboard',
    sources: [
      ...['src', 'vite', 'public', 'vite.config.ts', 'package.json', 'home.html', 'not-found.html'].map(
        (name) => `apps/dashboard/${name}`,
      ),
      'packages/contract/src',
      'packages/client/src',
    ],
  },
  {
    folder: 'apps/docs',
    sources: [
      ...['src', 'vite.config.ts', 'package.json'].map((name) => `apps/docs/${name}`),
      ...['docs', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'clients/java/README.md'],
      'apps/dashboard/src/styles/tokens.css',
    ],
  },
];

/** @returns whether the pages are missing or older than a file that they are built from */
function arePagesOld({ folder, sources }) {
  return isOutOfDate(`${folder}/dist/.vite/packages.json`, sources);
}

/** @returns whether a built file is missing or older than one of its sources, which are files and folders */
function isOutOfDate(built, sources) {
  const builtAt = writtenAt(join(root, built));
  return sources
    .map((source) => join(root, source))
    .flatMap((source) => (statSync(source).isDirectory() ? filesIn(source) : [source]))
    .some((file) => writtenAt(file) > builtAt);
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
