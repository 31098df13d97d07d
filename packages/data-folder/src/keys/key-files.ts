import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log, PublicSigningKey } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import { writeDraft } from '@svc/store-sqlite';
import { syncFolder, writeDurably } from '../durable-files.ts';

const KEY_FILE = 'signing-key.pem';
const RING_FILE = 'signing-keys.json';

/** Key that will sign next, with its private half. */
interface NextKey {
  readonly pem: string;
  /**
   * Time from which the key signs, in ms since 1970. Until then the key is only published, so that verifiers know it in
   * advance.
   */
  readonly useFrom: number;
}

/** Public half of a replaced key, which still verifies tokens. The private half is deleted. */
export interface RetiredKeyFile {
  readonly jwk: PublicSigningKey;
  /** Time when the last token that the key signed has expired, in ms since 1970. The key is dropped then. */
  readonly until: number;
}

/** Content of `signing-keys.json`: the next signing key, and the replaced ones that still verify tokens. */
export interface RingFile {
  readonly next: NextKey | null;
  readonly retired: readonly RetiredKeyFile[];
}

export const EMPTY_RING: RingFile = { next: null, retired: [] };

/**
 * Reads and writes the signing keys in the data folder. `signing-key.pem` is the current key (contract 4), and
 * `signing-keys.json` contains the next key and the public halves of replaced ones. Each file is replaced as a whole,
 * so that a reader, or a start after a crash, finds the state before or after a change. Code that writes the files
 * holds the lock of `withKeyLock`.
 */
export class KeyFiles {
  readonly keyFile: string;
  readonly ringFile: string;

  /**
   * Whether to correct the modes of the files. It is false for a backup, which may be on a read-only disk, and for `svc
   * doctor`, which changes nothing.
   */
  readonly #repairsModes: boolean;

  constructor(dataDir: string, { repairsModes = true } = {}) {
    this.#repairsModes = repairsModes;
    this.keyFile = join(dataDir, KEY_FILE);
    this.ringFile = join(dataDir, RING_FILE);
  }

  /**
   * @returns the current key as PEM, or undefined if there is none
   * @throws Error if the key exists but cannot be read
   */
  current(log: Log): string | undefined {
    try {
      return this.#read(this.keyFile, log);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @returns the current key as PEM. Creates a key if there is none, which is the case at the first start. */
  currentOrNew(log: Log): string {
    if (this.current(log) === undefined) createKey(this.keyFile);
    return readFileSync(this.keyFile, 'utf8');
  }

  /**
   * @returns the next key and the replaced ones, or an empty ring if the file does not exist
   * @throws Error if the file exists but cannot be read
   */
  ring(log: Log): RingFile {
    try {
      return ringOf(JSON.parse(this.#read(this.ringFile, log)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_RING;
      throw error;
    }
  }

  replaceCurrent(pem: string): void {
    writeDurably(this.keyFile, pem);
  }

  replaceRing(ring: RingFile): void {
    writeDurably(this.ringFile, `${JSON.stringify(ring, null, 2)}\n`);
  }

  #read(file: string, log: Log): string {
    const content = readFileSync(file, 'utf8');
    if (this.#repairsModes) repairMode(file, log);
    return content;
  }

  /**
   * @returns a text that changes whenever one of the files was replaced, so that callers know when to read them again
   */
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

/** Sets the mode of a key file to 0600, because anyone who can read the file can sign tokens (specification 5.3.7). */
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
 * Creates a key. It writes a temporary file and links it to the final name, so that of two concurrent first starts one
 * wins and neither reads a partial key.
 */
function createKey(file: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeDraft(draft, newKeyPem());
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}
