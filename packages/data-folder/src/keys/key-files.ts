import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRecord, type Log, type PublicSigningKey } from '@svc/auth-core';
import { writeDraft } from '@svc/store-sqlite';

const KEY_FILE = 'signing-key.pem';
const RING_FILE = 'signing-keys.json';

/** The key that will sign next. */
interface NextKey {
  readonly pem: string;
  /** Time from which it signs (ms since 1970). Until then it is only published. */
  readonly useFrom: number;
}

/** The public half of a replaced key. The private half is not kept. */
export interface RetiredKeyFile {
  readonly jwk: PublicSigningKey;
  /** Time when the last token that it signed has expired (ms since 1970). */
  readonly until: number;
}

/** The next key and the replaced ones. */
export interface RingFile {
  readonly next: NextKey | null;
  readonly retired: readonly RetiredKeyFile[];
}

export const EMPTY_RING: RingFile = { next: null, retired: [] };

/**
 * The signing keys in the data folder. `signing-key.pem` is the current one (contract 4), and `signing-keys.json`
 * contains the next one and the public halves of replaced ones. Each file is replaced as a whole, so that a reader, or
 * a start after a crash, finds the state before or after a change. Writers hold the lock of `withKeyLock`.
 */
export class KeyFiles {
  readonly keyFile: string;
  readonly ringFile: string;

  /**
   * Whether to correct modes. False for a backup, which may be on a read-only disk, and for `svc doctor`, which changes
   * nothing.
   */
  readonly #repairsModes: boolean;

  constructor(dataDir: string, { repairsModes = true } = {}) {
    this.#repairsModes = repairsModes;
    this.keyFile = join(dataDir, KEY_FILE);
    this.ringFile = join(dataDir, RING_FILE);
  }

  /**
   * Throws if the key cannot be read.
   * @returns the current key as PEM, or undefined if there is none
   */
  current(log: Log): string | undefined {
    try {
      return this.#read(this.keyFile, log);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Creates a key if there is none, which is the case at the first start. */
  currentOrNew(log: Log): string {
    if (this.current(log) === undefined) createKey(this.keyFile);
    return readFileSync(this.keyFile, 'utf8');
  }

  /** @throws Error if the file exists and cannot be read */
  ring(log: Log): RingFile {
    try {
      return ringOf(JSON.parse(this.#read(this.ringFile, log)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_RING;
      throw error;
    }
  }

  replaceCurrent(pem: string): void {
    replace(this.keyFile, pem);
  }

  replaceRing(ring: RingFile): void {
    replace(this.ringFile, `${JSON.stringify(ring, null, 2)}\n`);
  }

  #read(file: string, log: Log): string {
    const content = readFileSync(file, 'utf8');
    if (this.#repairsModes) repairMode(file, log);
    return content;
  }

  /** @returns a text that changes whenever a file was replaced */
  stamp(): string {
    return [this.keyFile, this.ringFile].map(stampOf).join(' ');
  }
}

export function newKeyPem(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/** Anyone who can read the file can sign tokens (specification 5.3.7), so its mode must be 0600. */
function repairMode(file: string, log: Log): void {
  if ((statSync(file).mode & 0o077) === 0) return;
  chmodSync(file, 0o600);
  log.warn(`The signing key ${basename(file)} could be read by others on this host; its mode is 0600 again`);
}

function ringOf(content: unknown): RingFile {
  const { next = null, retired = [] } = isRecord(content) ? content : {};
  const isNext = isRecord(next) && typeof next.pem === 'string' && typeof next.useFrom === 'number';
  if (next !== null && !isNext) throw new Error(`${RING_FILE} is damaged`);
  const keys = Array.isArray(retired) ? retired : [null];
  if (!keys.every((key) => isRecord(key) && isRecord(key.jwk) && typeof key.until === 'number'))
    throw new Error(`${RING_FILE} is damaged`);
  return { next: next as NextKey | null, retired: keys as RetiredKeyFile[] };
}

/**
 * Writes a temporary file and links it into place, so that of two concurrent first starts one wins and neither reads a
 * partial key.
 */
function createKey(file: string): void {
  const draft = draftOf(file, newKeyPem());
  try {
    linkSync(draft, file);
    syncFolder(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(file: string, content: string): void {
  const draft = draftOf(file, content);
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(file);
}

/**
 * Writes a file to the disk completely before it gets its name, so that after a power failure it has the old content or
 * the new.
 */
function draftOf(file: string, content: string): string {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeDraft(draft, content);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function syncFolder(file: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const handle = openSync(dirname(file), 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}
