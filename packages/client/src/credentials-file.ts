import { serviceOrigin } from './address.ts';
import type { KeyPair } from './credentials.ts';
import { type Environment, UnusableSetting } from './unusable-setting.ts';

/*
 * The file in which `svc login` stores credentials: `svc/credentials.json` in the folder that `XDG_CONFIG_HOME` names,
 * otherwise in `~/.config`. It holds one entry per address:
 *
 * { "https://lab.example:4723": { "accessKey": "svc_…", "token": "svct_…", "tokenExpiresAt": "2030-01-31T12:00:00.000Z" } }
 *
 * This module uses Node.js only when a function is called, because browsers load it, too.
 */

/** Credentials of one lab, as `svc login` stored them. */
export interface StoredCredentials extends KeyPair {
  /** Expiry of the token (ISO 8601), or undefined if the file does not state it. */
  readonly tokenExpiresAt?: string | undefined;
}

/** Stored credentials by the origin of the lab's address. */
export type CredentialEntries = ReadonlyMap<string, StoredCredentials>;

const NO_ENTRIES: CredentialEntries = new Map();
const LARGEST_FILE = 1024 * 1024;
/** Permission bits of all users except the owner of the file. */
const OTHERS = 0o077;

/** @returns the path of the credentials file, or undefined if the environment names no home folder */
export function credentialsPath(env: Environment): string | undefined {
  const { isAbsolute, join } = process.getBuiltinModule('node:path');
  const config = env.XDG_CONFIG_HOME;
  // Ignore a relative path, because the XDG Base Directory Specification calls it invalid.
  if (config && isAbsolute(config)) return join(config, 'svc', 'credentials.json');
  const home = env.HOME || env.USERPROFILE;
  return home ? join(home, '.config', 'svc', 'credentials.json') : undefined;
}

/**
 * Reads the credentials file. Throws an `UnusableSetting` if the file cannot be read or is not valid, or if other
 * users of the machine can read it.
 * @returns the entries of the file, or no entries if there is no file
 */
export function storedCredentials(env: Environment): CredentialEntries {
  // Return no entries in a browser, which has neither a process nor files.
  if (typeof process === 'undefined' || process.getBuiltinModule === undefined) return NO_ENTRIES;
  const path = credentialsPath(env);
  const text = path === undefined ? undefined : readPrivate(path);
  return path === undefined || text === undefined ? NO_ENTRIES : entriesIn(text, path);
}

function readPrivate(path: string): string | undefined {
  const fs = process.getBuiltinModule('node:fs');
  let file: number | undefined;
  try {
    file = fs.openSync(path, 'r');
    const { mode, size } = fs.fstatSync(file);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new UnusableSetting(`Other users can read ${path}. Run: chmod 600 ${path}`);
    }
    if (size > LARGEST_FILE) throw new UnusableSetting(`${path} is larger than a credentials file`);
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UnusableSetting) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UnusableSetting(`${path} cannot be read (${code})`);
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function entriesIn(text: string, path: string): CredentialEntries {
  const invalid = () => new UnusableSetting(`${path} is not valid. Delete it and run svc login again`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid();
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw invalid();
  return new Map(
    Object.entries(parsed).map(([address, entry]: [string, unknown]) => {
      if (!isStored(entry) || !isOrigin(address)) throw invalid();
      const { accessKey, token, tokenExpiresAt } = entry;
      return [address, { accessKey, token, tokenExpiresAt }];
    }),
  );
}

function isStored(entry: unknown): entry is StoredCredentials {
  if (typeof entry !== 'object' || entry === null) return false;
  const { accessKey, token, tokenExpiresAt } = entry as Partial<Record<string, unknown>>;
  const hasTime = tokenExpiresAt === undefined || typeof tokenExpiresAt === 'string';
  return isSendable(accessKey) && isSendable(token) && hasTime;
}

/** @returns whether the value can be sent in a header */
function isSendable(value: unknown): value is string {
  return typeof value === 'string' && /^[!-~]+$/.test(value);
}

function isOrigin(address: string): boolean {
  try {
    return serviceOrigin(address) === address;
  } catch {
    return false;
  }
}
