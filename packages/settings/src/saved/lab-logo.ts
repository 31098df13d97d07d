import { createHash } from 'node:crypto';
import { type Audit, actorOf, type Caller, checkAccess, Refusal, type Stores } from '@svc/auth-core';
import { LARGEST_LOGO, SUPER_ADMIN } from '@svc/contract';

interface Tools {
  readonly stores: Pick<Stores, 'settings' | 'transaction'>;
  readonly audit: Audit;
}

export interface Logo {
  readonly png: Buffer;
  /** Short hash of the picture, which changes its address when the picture changes. */
  readonly version: string;
}

const KEY = 'labLogo';
const SIGNATURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Logo of the lab: a saved PNG picture that every page shows, also to unauthenticated clients. */
export class LabLogo {
  readonly #tools: Tools;
  #saved: ReadonlyMap<string, unknown> | undefined;
  #current: Logo | null = null;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Returns the logo, or null for the default logo. Throws `Unavailable` if the settings cannot be read. */
  current(): Logo | null {
    const saved = this.#tools.stores.settings.all();
    if (saved !== this.#saved) {
      const base64 = saved.get(KEY);
      const png = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : null;
      this.#current = png === null || problemOf(png) !== null ? null : { png, version: versionOf(png) };
      this.#saved = saved;
    }
    return this.#current;
  }

  /** @param base64 PNG picture in Base64. Throws `invalid_setting` if it is no picture, or too large. */
  save(caller: Caller, base64: string): void {
    checkAccess(caller, SUPER_ADMIN);
    const png = Buffer.from(base64, 'base64');
    // Node.js ignores characters that are not Base64.
    const problem = png.toString('base64') === base64 ? problemOf(png) : 'is not Base64';
    if (problem !== null) {
      const message = `png ${problem}`;
      throw new Refusal('invalid_setting', message, { field: 'png', message });
    }
    this.#store(caller, base64, 'logo of the lab changed');
  }

  remove(caller: Caller): void {
    checkAccess(caller, SUPER_ADMIN);
    if (this.#tools.stores.settings.all().has(KEY)) this.#store(caller, undefined, 'logo of the lab removed');
  }

  #store(caller: Caller, value: string | undefined, reason: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      tx.settings.save(new Map([[KEY, value]]));
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: 'settings', reason });
    });
  }
}

/**
 * @returns what makes the picture unusable, or null. A small file can describe a picture that fills a browser's memory.
 */
function problemOf(png: Buffer): string | null {
  const { bytes, pixels } = LARGEST_LOGO;
  if (png.length > bytes) return `is larger than ${bytes / 1024} KiB`;
  if (png.length < 33 || !png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return 'is not a PNG picture';
  const sides = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (sides.some((side) => side < 1 || side > pixels)) return `is not 1 to ${pixels} pixels wide and high`;
  return null;
}

function versionOf(png: Buffer): string {
  return createHash('sha256').update(png).digest('hex').slice(0, 12);
}
