import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of the package. The code searches for its `package.json`, because this file is in `dist/` in the bundled
 * plugin, but in a subfolder of `dist/` in the workspace.
 */
const PACKAGE = ['../', '../../']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder))) as URL;

/** File of common passwords, the most common first. Each line is a password of at least 8 characters, in lower case. */
export const COMMON_PASSWORDS = new URL('data/common-passwords.txt', PACKAGE);

/** Program of the worker threads that hash passwords. */
export const HASHING_WORKER = new URL('dist/hashing/worker.js', PACKAGE);

/** Program that makes a scheduled backup in its own process. */
export const BACKUP_PROCESS = new URL('dist/schedules/backup-process.js', PACKAGE);

/** Folder of the dashboard's pages and of the files that they load. */
export const DASHBOARD = pagesOf('dashboard');

/** Folder of the documentation's pages. It is missing if they are not built. */
export const DOCS = pagesOf('docs');

/** Location of the OpenAPI document, which the contract's build writes. */
export const OPEN_API = openApi();

/** Version of the service. The capabilities and the dashboard's account menu show it. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')).version;

/**
 * Returns a folder of pages: in the bundled plugin a folder of this package, in the workspace the build of the package
 * `@svc/<name>`.
 */
function pagesOf(name: 'dashboard' | 'docs'): string {
  const bundled = fileURLToPath(new URL(name, PACKAGE));
  if (existsSync(bundled)) return bundled;
  return join(dirname(createRequire(import.meta.url).resolve(`@svc/${name}/package.json`)), 'dist');
}

function openApi(): string {
  const bundled = fileURLToPath(new URL('openapi.json', PACKAGE));
  if (existsSync(bundled)) return bundled;
  return createRequire(import.meta.url).resolve('@svc/contract/openapi.json');
}
