import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Appium finds extensions as dependencies of this package, so that nothing is installed at run time. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * @returns the home of Appium, in which Appium writes a cache of its extensions; if this package is read-only, as in a
 * container, it is a temporary folder with the same content
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

/** Links all packages into a folder. Scopes become folders, because Appium looks for packages inside them. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) linkPackages(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name));
  }
}
