import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';

/**
 * Runs a built program in this process as if it had been started with `node <file>`: it receives signals directly, and
 * its exit ends this process.
 */
export async function start(file) {
  const path = `${root}${file}`;
  if (!existsSync(path)) {
    process.stderr.write(`${file} is missing after the build\n`);
    process.exit(1);
  }
  process.argv[1] = path;
  await import(pathToFileURL(path).href);
}
