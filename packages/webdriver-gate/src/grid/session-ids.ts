import { type KeyObject, sign, verify } from 'node:crypto';
import { Unavailable } from '@svc/auth-core';

/**
 * Keys that sign and verify session ids. Several svc servers can be in front of one grid (such as Selenium Grid). Only
 * the server that stores the accounts has private keys; the others have the public keys.
 */
interface SigningKeys {
  /** Returns the private key that signs now, or undefined if it cannot be read or only another server has it. */
  readonly own: () => KeyObject | undefined;
  /**
   * Returns the keys whose signatures are accepted. Returns a new list object whenever the keys have changed. Throws
   * `Unavailable` if the keys are not available.
   */
  readonly trusted: () => readonly KeyObject[];
}

/** Parts of a signed session id. */
interface SignedId {
  readonly gridId: string;
  readonly ownerId: string | null;
  readonly signature: string;
}

const FORM = /^([A-Za-z0-9_-][\w.~-]{0,127})\.([\w-]{21}[AQgw]|0)\.([\w-]{85}[AQgw])$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const NO_OWNER = '0';
/** Minimum length of a signed id: 1 character for the grid's id, 1 for the owner, 86 for the signature, and 2 dots. */
const SHORTEST = 90;
const REMEMBERED = 10_000;

/**
 * Creates and reads ids of driver sessions that name the owner, so that every svc server in front of a grid knows the
 * owner without a database: `<id of the grid>.<owner>.<signature>`. The signature is that of a JWS (RFC 7515) with its
 * own `typ` and `aud`. The other parts of the JWS are left out, because both sides know them and the id has to be short
 * enough for a path.
 */
export class SignedSessionIds {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #owners = new Map<string, string | null>();
  #verifiedWith: readonly KeyObject[] = [];

  constructor(keys: SigningKeys, issuer: string) {
    this.#keys = keys;
    this.#issuer = issuer;
  }

  /**
   * Creates the signed id of a session. Throws `Unavailable` if there is no signing key.
   * @param ownerId UUID of an account, or null if the session has no owner
   */
  sign(gridId: string, ownerId: string | null): string {
    const own = this.#keys.own();
    if (own === undefined) throw new Unavailable('signing key unavailable');
    const owner = ownerId === null ? NO_OWNER : shortOf(ownerId);
    const signature = sign('sha256', this.#signed(gridId, ownerId), { key: own, dsaEncoding: 'ieee-p1363' });
    return `${gridId}.${owner}.${signature.toString('base64url')}`;
  }

  /**
   * Verifies a signed id. Throws `Unavailable` if the keys are not available.
   * @returns the account id of the owner, null if the session has no owner, or undefined if the id has no valid
   * signature
   */
  ownerOf(id: string): string | null | undefined {
    // Read the keys first. This throws if the keys are too old to be used, before an owner is returned from the cache.
    // A new list means that the keys have changed, so the owners that were verified with the old keys are dropped.
    const keys = this.#keys.trusted();
    if (keys !== this.#verifiedWith) this.#owners.clear();
    this.#verifiedWith = keys;
    const known = this.#owners.get(id);
    if (known !== undefined) return known;
    const parts = partsOf(id);
    if (parts === null) return undefined;
    const { gridId, ownerId, signature } = parts;
    const content = this.#signed(gridId, ownerId);
    const bytes = Buffer.from(signature, 'base64url');
    const isSigned = keys.some((key) => verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, bytes));
    if (!isSigned) return undefined;
    if (this.#owners.size >= REMEMBERED) this.#owners.clear();
    this.#owners.set(id, ownerId);
    return ownerId;
  }

  #signed(gridId: string, ownerId: string | null): Buffer {
    const header = { alg: 'ES256', typ: 'driver-session+jws' };
    const claims = { iss: this.#issuer, aud: 'svc-driver-session', sid: gridId, sub: ownerId ?? '' };
    return Buffer.from(`${encoded(header)}.${encoded(claims)}`);
  }
}

/**
 * @returns the id that the grid itself uses for a session, which is the id without owner and signature. An id without a
 * signature is returned unchanged.
 */
export function gridIdOf(id: string): string {
  return id.length < SHORTEST ? id : (FORM.exec(id)?.[1] ?? id);
}

function partsOf(id: string): SignedId | null {
  const [, gridId, owner, signature] = FORM.exec(id) ?? [];
  if (gridId === undefined || owner === undefined || signature === undefined) return null;
  return { gridId, ownerId: owner === NO_OWNER ? null : uuidOf(owner), signature };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function shortOf(uuid: string): string {
  if (!UUID.test(uuid)) throw new TypeError('the id of an account must be a UUID');
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
}

function uuidOf(short: string): string {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
