import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs a release of Node.js from npm into the folder `at`, with the headers that are needed to compile native code
 * if no binary can be downloaded.
 * @returns the folders of its programs and of its headers; `headers` is undefined if the release brings none
 */
export function installNode(release, at) {
  const npm = ['install', '--prefix', at, '--no-save', '--no-audit', '--no-fund', `node@${release}`];
  execFileSync('npm', npm, { stdio: 'inherit' });
  const home = join(at, 'node_modules', 'node');
  const parts = join(home, 'node_modules');
  const platform = readdirSync(parts).find((part) => existsSync(join(parts, part, 'include', 'node')));
  return { bin: join(home, 'bin'), headers: platform && join(parts, platform) };
}
