import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files that ship beside the code. It runs from `dist/` here and in the bundled plugin, whose package has the same
 * files in the same places.
 */
const PACKAGE = new URL('../', import.meta.url);

/** One password of at least 8 characters a line, in lower case, the most common first. */
export const COMMON_PASSWORDS = new URL('data/common-passwords.txt', PACKAGE);

/** What runs in the threads that hash passwords. */
export const HASHING_WORKER = new URL('dist/hashing/worker.js', PACKAGE);

/** Makes a backup of the schedule, in a process of its own. */
export const BACKUP_PROCESS = new URL('dist/schedules/backup-process.js', PACKAGE);

/** Pages and what they load. */
export const DASHBOARD = dashboard();

/** Version of the service, as the capabilities and the account menu show it. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')).version;

/** The bundled plugin has them beside its code; here they are another app's build. */
function dashboard(): string {
  const beside = fileURLToPath(new URL('dashboard', PACKAGE));
  if (existsSync(beside)) return beside;
  return join(dirname(createRequire(import.meta.url).resolve('@svc/dashboard/package.json')), 'dist');
}
