import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePrograms } from './bundle-program.mjs';
import { root } from './run.mjs';

const DIST = join(root, 'apps/api/dist');
const PROGRAM = join(DIST, 'main.js');
const CHUNKS = 'program/';

/** Native code cannot be bundled, and Piscina starts its worker from the folder of its own code. */
const OUTSIDE = ['better-sqlite3', 'piscina'];

/**
 * Writes `apps/api/dist/main.js`, the program of the API alone, as a bundle. Loading its thousand modules one by one
 * would take 30 MB of memory and 40 % more processor time (docs/decisions/0038). Requires a build of the packages.
 */
export async function bundleApi() {
  rmSync(join(DIST, CHUNKS), { recursive: true, force: true });
  await bundlePrograms({
    input: { main: join(DIST, 'program.js') },
    external: OUTSIDE,
    dir: DIST,
    chunks: CHUNKS,
  });
}

/**
 * Vitest calls this before the tests. Bundles the program again if a package was compiled later, because `tsc` does not
 * run the bundler.
 */
export async function setup() {
  const rooms = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'dist'));
  const compiled = [DIST, ...rooms].map((dist) => writtenAt(join(dist, 'tsconfig.tsbuildinfo')));
  if (Math.max(...compiled) > writtenAt(PROGRAM)) await bundleApi();
}

/** @returns the time of the last change of a file in ms since 1970, or 0 if the file does not exist */
function writtenAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
