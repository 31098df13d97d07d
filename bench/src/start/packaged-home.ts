import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'appium-svc-plugin';
const BUNDLER = fileURLToPath(new URL('../../../../scripts/package.mjs', import.meta.url));

const resolve = createRequire(import.meta.url).resolve;
const labPackage = resolve('@svc/lab/package.json');
const fromLab = createRequire(labPackage).resolve;

/** Path of Appium's program. */
export const APPIUM = fromLab('appium');

/**
 * An `APPIUM_HOME` as users have it: the published plugin with its packages. It is built without a registry;
 * `tests/install` installs the plugin from one.
 * @param further folders of further packages, by their names
 */
export function packagedHome(folder: string, further: Readonly<Record<string, string>> = {}): string {
  execFileSync(process.execPath, [BUNDLER, '--out', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const home = join(folder, 'home');
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '@appium'), { recursive: true });
  cpSync(join(folder, NAME), join(modules, NAME), { recursive: true });
  const others = {
    appium: packageOf(APPIUM, 'appium'),
    '@appium/fake-driver': dirname(fromLab('@appium/fake-driver/package.json')),
    'better-sqlite3': dirname(resolve('better-sqlite3/package.json')),
    ...further,
  };
  for (const [name, at] of Object.entries(others)) symlinkSync(at, join(modules, name));
  const dependencies = Object.fromEntries([NAME, ...Object.keys(others)].map((name) => [name, '*']));
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies }));
  return home;
}

function packageOf(file: string, name: string): string {
  const end = `/node_modules/${name}`;
  return file.slice(0, file.lastIndexOf(end) + end.length);
}
