import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of this package. Used as `APPIUM_HOME`, it makes Appium load the drivers and plugins that are dependencies of
 * this package, so that nothing must be installed at run time.
 */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param drivers folders of further drivers, by the names of their packages
 * @returns the folder for `APPIUM_HOME`, in which Appium writes a cache of its extensions: the folder of this package,
 * or a temporary folder with links to its content if there are further drivers, or if the package is read-only, as in a
 * container
 */
export function appiumHome(drivers: Readonly<Record<string, string>> = {}): string {
  return Object.keys(drivers).length === 0 && isWritable(PACKAGE) ? PACKAGE : temporaryHome(drivers);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function temporaryHome(drivers: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-appium-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  // Appium loads the extensions that the manifest names as dependencies.
  const added = Object.fromEntries(Object.keys(drivers).map((name) => [name, '*']));
  const dependencies = { ...manifest.dependencies, ...added };
  writeFileSync(join(home, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
  const modules = join(home, 'node_modules');
  linkPackages(join(PACKAGE, 'node_modules'), modules);
  for (const [name, folder] of Object.entries(drivers)) symlinkSync(folder, join(modules, name));
  return home;
}

/**
 * Links all packages into a folder. A scope such as `@svc` becomes a folder of links, because Appium looks for packages
 * inside scope folders.
 */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) linkPackages(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name));
  }
}
