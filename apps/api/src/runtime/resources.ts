import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of the package. The bundled plugin has the same files in the same places, but this code is in `dist/` there and
 * in a folder of `dist/` here.
 */
const PACKAGE = ['../', '../../']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder))) as URL;

/** Each line is a password of at least 8 characters, in lower case. The most common ones are first. */
export const COMMON_PASSWORDS = new URL('data/common-passwords.txt', PACKAGE);

/** The code of the threads that hash passwords. */
export const HASHING_WORKER = new URL('dist/hashing/worker.js', PACKAGE);

/** Makes a backup of the schedule, in a process of its own. */
export const BACKUP_PROCESS = new URL('dist/schedules/backup-process.js', PACKAGE);

/** Folder of the pages and of the files that they load. */
export const DASHBOARD = dashboard();

/** The OpenAPI document, written by the contract's build. */
export const OPEN_API = openApi();

/** Version of the service, which the capabilities and the account menu show. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')).version;

/** The bundled plugin contains the pages. In the workspace another app builds them. */
function dashboard(): string {
  const bundled = fileURLToPath(new URL('dashboard', PACKAGE));
  if (existsSync(bundled)) return bundled;
  return join(dirname(createRequire(import.meta.url).resolve('@svc/dashboard/package.json')), 'dist');
}

function openApi(): string {
  const bundled = fileURLToPath(new URL('openapi.json', PACKAGE));
  if (existsSync(bundled)) return bundled;
  return createRequire(import.meta.url).resolve('@svc/contract/openapi.json');
}
