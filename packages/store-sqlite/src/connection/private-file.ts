import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const PERMISSIONS = 0o777;

/**
 * Creates a folder that only its owner can use, and every folder above it that is missing. An existing folder keeps its
 * mode. The `recursive` option of `mkdirSync` is not used, because Node.js would retry forever in a folder that returns
 * ENOENT for every new name, such as `/proc`.
 * @throws Error with the reason and the `code` of the system error
 */
export function makeFolder(folder: string): void {
  const place = resolve(folder);
  if (isFolder(place)) return;
  const parent = dirname(place);
  if (parent !== place) makeFolder(parent);
  try {
    mkdirSync(place, FOLDER_MODE);
  } catch (error) {
    // Ignores the error if another process has created the folder in the meantime.
    if (isFolder(place)) return;
    const message = `The folder ${place} cannot be created: ${reasonOf(error, parent)}. Name another folder`;
    throw Object.assign(new Error(message), { code: (error as NodeJS.ErrnoException).code });
  }
  if ((statSync(place).mode & PERMISSIONS) !== FOLDER_MODE) chmodSync(place, FOLDER_MODE);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function reasonOf(error: unknown, parent: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `no folder can be created in ${parent} (${code})`;
  if (code === 'EEXIST') return `a file has this name (${code})`;
  if (code === 'ENOTDIR') return `${parent} is not a folder (${code})`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `this user cannot write to ${parent} (${code})`;
  return message;
}

/**
 * Creates and opens a file with mode 0600, whatever the umask is.
 * @returns the file descriptor
 * @throws EEXIST if the path exists, even as a symbolic link
 */
export function openNewFile(file: string): number {
  const { O_CREAT, O_EXCL, O_RDWR } = constants;
  const handle = openSync(file, O_CREAT | O_EXCL | O_RDWR, FILE_MODE);
  try {
    if ((fstatSync(handle).mode & PERMISSIONS) !== FILE_MODE) fchmodSync(handle, FILE_MODE);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
  return handle;
}

/**
 * Writes a new file with mode 0600. A file with this name that a killed process has left is removed first.
 * @param options.isDurable whether to wait until the file is on the disk. Default: true
 */
export function writeDraft(file: string, content: string | Uint8Array, { isDurable = true } = {}): void {
  rmSync(file, { force: true });
  const handle = openNewFile(file);
  try {
    writeFileSync(handle, content);
    if (isDurable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Creates an empty file with mode 0600, and its folder. An existing file is not even opened, because closing any handle
 * of a file drops all POSIX locks of this process on it, including SQLite's.
 */
export function createPrivateFile(file: string): void {
  makeFolder(dirname(file));
  try {
    closeSync(openNewFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
