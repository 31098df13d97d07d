import { type Clock, KeyRing, type Log, longestLife, signingKey, verifyingKey } from '@svc/auth-core';
import { KeyFiles } from './key-files.ts';
import { withKeyLock } from './key-lock.ts';
import { advance } from './rotation.ts';

const LOOK_EVERY_MS = 1_000;

interface KeeperOptions {
  readonly dataDir: string;
  /** Lifetime of `svc-mcp` tokens in seconds. */
  readonly mcpTokenTtl: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when another key begins to sign, with the id of that key. */
  readonly changed: (kid: string) => void;
}

/**
 * Updates the signing keys of a running server after a command of `svc` has replaced the key files, and activates an
 * announced key when its time has come.
 */
export class KeyKeeper {
  readonly ring: KeyRing;
  readonly #files: KeyFiles;
  readonly #options: KeeperOptions;
  #stamp: string;
  #isLogged = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #dueAt: number | null = null;

  private constructor(options: KeeperOptions, files: KeyFiles, ring: KeyRing, stamp: string) {
    this.#options = options;
    this.#files = files;
    this.ring = ring;
    this.#stamp = stamp;
  }

  /**
   * Loads the keys. A key that exists but cannot be read does not stop the server, because cookies and key pairs still
   * work without it; requests for tokens get 503 (contract 4).
   */
  static async open(options: KeeperOptions): Promise<KeyKeeper> {
    const files = new KeyFiles(options.dataDir);
    const keeper = new KeyKeeper(options, files, KeyRing.empty(), '');
    await keeper.look();
    return keeper;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Reads the key files if they have changed. Never rejects. If a read is already in progress, the call waits for it
   * and starts no other.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    const isDue = this.#dueAt !== null && now >= this.#dueAt;
    if (!isDue && this.#files.stamp() === this.#stamp) return;
    try {
      if (isDue || this.#stamp === '') await this.#advance(now);
      await this.#load(now);
      this.#isLogged = false;
    } catch (error) {
      this.#stamp = this.#files.stamp();
      if (this.#isLogged) return;
      this.#isLogged = true;
      log.error(
        'The signing key signing-key.pem in the data folder cannot be used: ' +
          (this.ring.current === undefined
            ? 'no token can be made or checked until it is put back from a backup, or deleted to have a new one made ' +
              'at the next start'
            : 'the one it replaced goes on until the next start'),
        { code: (error as NodeJS.ErrnoException).code, cause: String(error) },
      );
    }
  }

  async #advance(now: number): Promise<void> {
    const { dataDir, mcpTokenTtl, log } = this.#options;
    const longestLifeMs = longestLife(mcpTokenTtl) * 1000;
    const { next, retired } = this.#files.ring(log);
    if (next === null && retired.length === 0) return;
    await withKeyLock(dataDir, () => advance(this.#files, { now, longestLifeMs }, log));
  }

  async #load(now: number): Promise<void> {
    const { log, changed } = this.#options;
    const before = this.ring.current?.kid;
    // Read the stamp (a text that changes with the files) before the files. If the files are replaced while they are
    // read, the next check finds another stamp and reads them again.
    const stamp = this.#files.stamp();
    const pem = this.#stamp === '' ? this.#files.currentOrNew(log) : this.#files.current(log);
    if (pem === undefined) throw new Error('there is none');
    const current = await signingKey(pem);
    const { next, retired } = this.#files.ring(log);
    const waiting = next === null ? undefined : await signingKey(next.pem);
    const old = await Promise.all(
      retired.map(async ({ jwk, until }) => ({ ...(await verifyingKey(jwk)), until })),
    );
    this.ring.replace({ current, next: waiting, retired: old }, now);
    this.#stamp = stamp;
    this.#dueAt = dueAt(next?.useFrom, retired);
    if (before !== undefined && before !== current.kid) {
      log.info('From now on, another key signs tokens', { kid: current.kid });
      changed(current.kid);
    }
    if (waiting !== undefined && waiting.kid !== current.kid)
      log.info('The next signing key is published', {
        kid: waiting.kid,
        useFrom: new Date(next?.useFrom ?? 0),
      });
  }
}

/** @returns the time of the next change of the keys, or null if none is planned */
function dueAt(useFrom: number | undefined, retired: readonly { readonly until: number }[]): number | null {
  const moments = [...(useFrom === undefined ? [] : [useFrom]), ...retired.map(({ until }) => until)];
  return moments.length === 0 ? null : Math.min(...moments);
}
