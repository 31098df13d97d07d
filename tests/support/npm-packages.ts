import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freshDataDir } from './lab.ts';

const labPackage = createRequire(import.meta.url).resolve('@svc/lab/package.json');
const appium = dirname(createRequire(labPackage).resolve('appium/package.json'));

/**
 * Installs drivers or plugins of Appium from the registry of npm, next to the lab's own Appium.
 * @param wanted package names with versions, such as `appium-chromium-driver@3.1.1`
 * @returns the folder of each package by its name
 */
export function installExtensions(wanted: readonly string[]): Record<string, string> {
  const folder = freshDataDir();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'extensions', private: true }));
  // All packages have Appium as a peer dependency. It is linked, because a copy would not be the Appium that runs.
  const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options, ...wanted], { cwd: folder, stdio: 'pipe' });
  symlinkSync(appium, join(folder, 'node_modules', 'appium'));
  const names = wanted.map((each) => each.slice(0, each.lastIndexOf('@')));
  return Object.fromEntries(names.map((name) => [name, join(folder, 'node_modules', name)]));
}
