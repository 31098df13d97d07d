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
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord, type Log, type PublicSigningKey } from '@svc/auth-core';

const KEY_FILE = 'signing-key.pem';
const RING_FILE = 'signing-keys.json';

/** A key that waits for its turn. */
interface NextKey {
  readonly pem: string;
  /** From when it signs, ms since 1970. Until then it is only published. */
  readonly useFrom: number;
}

/** Of a replaced key only the public half is kept. */
export interface RetiredKeyFile {
  readonly jwk: PublicSigningKey;
  /** When the last token of it has ended, ms since 1970. */
  readonly until: number;
}

/** What stands beside the current key. */
export interface RingFile {
  readonly next: NextKey | null;
  readonly retired: readonly RetiredKeyFile[];
}

export const EMPTY_RING: RingFile = { next: null, retired: [] };

/**
 * The signing keys in the data folder: `signing-key.pem` is the current one (contract 4), `signing-keys.json` holds the
 * next one and what is left of those before. Each file is replaced as a whole, so that whoever reads them, or starts
 * after a crash, finds the state before or after a change. Writers hold the lock of `withKeyLock`.
 */
export class KeyFiles {
  readonly keyFile: string;
  readonly ringFile: string;

  constructor(dataDir: string) {
    this.keyFile = join(dataDir, KEY_FILE);
    this.ringFile = join(dataDir, RING_FILE);
  }

  /** PEM of the current key; undefined: there is none. Throws when it cannot be read. */
  current(log: Log): string | undefined {
    try {
      return readPrivate(this.keyFile, log);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The first start makes one. */
  currentOrNew(log: Log): string {
    if (this.current(log) === undefined) createKey(this.keyFile);
    return readFileSync(this.keyFile, 'utf8');
  }

  /** Throws when the file is there and cannot be read. */
  ring(log: Log): RingFile {
    try {
      return ringOf(JSON.parse(readPrivate(this.ringFile, log)));
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

  /** Another text as soon as a file was replaced. */
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

/** Anyone with the file can sign tokens (specification 5.3.7): its mode is 0600, also after a restore. */
function readPrivate(file: string, log: Log): string {
  const content = readFileSync(file, 'utf8');
  if ((statSync(file).mode & 0o077) !== 0) {
    const name = file.slice(dirname(file).length + 1);
    log.warn(`The signing key ${name} could be read by others on this host; its mode is 0600 again`);
    chmodSync(file, 0o600);
  }
  return content;
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

/** Written to a temporary file and then linked: of two concurrent first starts one wins and neither reads half a key. */
function createKey(file: string): void {
  const draft = writeDraft(file, newKeyPem());
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
  const draft = writeDraft(file, content);
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(file);
}

/** On the disk whole before it gets its name: also after a power failure the name stands for all of it or the old. */
function writeDraft(file: string, content: string): string {
  const draft = `${file}.${randomUUID()}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return draft;
}

function syncFolder(file: string): void {
  // Windows opens no folder.
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
