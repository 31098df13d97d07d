import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The drivers for which the scripted phones are made, with the versions with which they are tested. */
export const DRIVERS = {
  'appium-espresso-driver': '9.3.6',
  'appium-uiautomator2-driver': '8.7.0',
  'appium-xcuitest-driver': '12.13.1',
} as const;

export type DriverName = keyof typeof DRIVERS;

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** @returns whether the driver is in the cache, so that `installedDriver` needs no network */
export function isDriverInstalled(name: DriverName): boolean {
  return existsSync(packageOf(name));
}

/**
 * Returns the folder of a driver. If it is missing, it is installed from the registry of npm into a cache, which takes
 * some seconds and 100 MB. The drivers are not dependencies of this package, because few people need them.
 */
export function installedDriver(name: DriverName): string {
  if (!isDriverInstalled(name)) install(name);
  return packageOf(name);
}

function packageOf(name: DriverName): string {
  return join(cache(), `${name}-${DRIVERS[name]}`, 'node_modules', name);
}

/** The cache is in `node_modules` of this package, unless that is read-only, as in a container. */
function cache(): string {
  try {
    accessSync(MODULES, constants.W_OK);
    return join(MODULES, '.cache', 'drivers');
  } catch {
    return join(tmpdir(), 'svc-drivers');
  }
}

/** Installs into a temporary folder first, so that two processes can install the same driver at the same time. */
function install(name: DriverName): void {
  mkdirSync(cache(), { recursive: true });
  const folder = mkdtempSync(join(cache(), 'install-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'drivers', private: true }));
    // The driver's peer dependency is Appium, which is linked, because a copy would not be the Appium that runs.
    const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options, `${name}@${DRIVERS[name]}`], { cwd: folder, stdio: 'pipe' });
    const appium = dirname(createRequire(import.meta.url).resolve('appium/package.json'));
    symlinkSync(appium, join(folder, 'node_modules', 'appium'));
    renameSync(folder, join(cache(), `${name}-${DRIVERS[name]}`));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!isDriverInstalled(name)) throw error;
  }
}
