import type { Clock } from '@svc/auth-core';

interface Owner {
  readonly accountId: string;
  /** Time (ms since 1970) at which an upload that has not begun frees its name; null once it has begun. */
  readonly until: number | null;
}

interface Upload {
  readonly accountId: string;
  readonly name: string;
  readonly until: number;
}

/** Time (ms) for which the storage plugin keeps the sockets of an upload after the request for it. */
const UPLOAD_MS = 5 * 60 * 1000;
/** Maximum number of file names whose uploader is remembered. */
const MOST_NAMES = 10_000;

/**
 * Remembers which account uploaded which file of Appium's storage plugin, and which uploads are under way. Kept in
 * memory, because the plugin empties its store when the server starts.
 */
export class StorageOwners {
  readonly #clock: Clock;
  readonly #names = new Map<string, Owner>();
  /** Uploads by the SHA-1 of their file, which is in the paths of their sockets. */
  readonly #uploads = new Map<string, Upload>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reserves a name for an upload.
   * @returns why the account may not upload the file, or null if it may
   */
  begin(accountId: string, file: string, sha1: string): string | null {
    const now = this.#clock.now();
    const name = keyOf(file);
    const owner = this.#ownerOf(name, now);
    if (owner !== undefined && owner.accountId !== accountId)
      return 'another account uploaded a file of this name';
    const running = this.#uploads.get(sha1);
    // The plugin would let a second upload of the same content write the file of the first one.
    if (running !== undefined && now < running.until && running.accountId !== accountId)
      return 'another account is uploading the same content';
    if (owner === undefined && this.#names.size >= MOST_NAMES) this.#forgetLate(now);
    if (owner === undefined && this.#names.size >= MOST_NAMES) return 'the store has too many files';
    const until = now + UPLOAD_MS;
    this.#names.set(name, { accountId, until: owner?.until === null ? null : until });
    this.#uploads.set(sha1, { accountId, name, until });
    return null;
  }

  /** @returns whether the account asked for the upload of this content. Its name is then no longer freed with time. */
  join(accountId: string, sha1: string): boolean {
    const upload = this.#uploads.get(sha1);
    if (upload === undefined || upload.accountId !== accountId || this.#clock.now() >= upload.until)
      return false;
    this.#names.set(upload.name, { accountId, until: null });
    return true;
  }

  deleted(file: string): void {
    const name = keyOf(file);
    this.#names.delete(name);
    for (const [sha1, upload] of this.#uploads) if (upload.name === name) this.#uploads.delete(sha1);
  }

  reset(): void {
    this.#names.clear();
    this.#uploads.clear();
  }

  #ownerOf(name: string, now: number): Owner | undefined {
    const owner = this.#names.get(name);
    return owner?.until !== null && owner !== undefined && now >= owner.until ? undefined : owner;
  }

  #forgetLate(now: number): void {
    for (const [name, { until }] of this.#names) if (until !== null && now >= until) this.#names.delete(name);
    for (const [sha1, { until }] of this.#uploads) if (now >= until) this.#uploads.delete(sha1);
  }
}

/** File systems that ignore letter case or the form of accents see these names as one. */
function keyOf(file: string): string {
  return file.normalize('NFC').toLowerCase();
}
