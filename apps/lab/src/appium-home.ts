import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Extensions are found as dependencies of this package; nothing is installed at run time. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * Appium writes what it read of its extensions into its home and does not start on a read-only one, such as that of a
 * container: it then gets a temporary folder that looks the same.
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

/** The folders of scopes are made, so that packages stand where Appium looks for them. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) linkPackages(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name));
  }
}
