import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of this package. Used as `APPIUM_HOME`, it makes Appium load the drivers and plugins that are dependencies of
 * this package, so that nothing must be installed at run time.
 */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * @returns the folder for `APPIUM_HOME`, in which Appium writes a cache of its extensions: the folder of this package,
 * or a temporary folder with links to its content if the package is read-only, as in a container
 */
export function appiumHome(): string {
  return isWritable(PACKAGE) ? PACKAGE : temporaryHome();
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-appium-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  symlinkSync(join(PACKAGE, 'package.json'), join(home, 'package.json'));
  linkPackages(join(PACKAGE, 'node_modules'), join(home, 'node_modules'));
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
