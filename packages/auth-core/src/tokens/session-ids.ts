import { type KeyObject, sign, verify } from 'node:crypto';
import { Unavailable } from '../errors.ts';
import type { SessionOwner } from '../policy/drive-session.ts';

/** What signs and verifies: the key of this installation, or its public half as another server has it. */
interface SigningKeys {
  /** The one that signs now; undefined: unreadable, or of another server. */
  readonly own: () => KeyObject | undefined;
  /** Another list when they are others. Throws `Unavailable` when they cannot be had. */
  readonly trusted: () => readonly KeyObject[];
}

/** The parts of a signed id. */
interface SignedId {
  readonly gridId: string;
  readonly ownerId: string | null;
  readonly signature: string;
}

const FORM = /^([A-Za-z0-9_-][\w.~-]{0,127})\.([\w-]{21}[AQgw]|0)\.([\w-]{85}[AQgw])$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const NO_OWNER = '0';
/** Characters: one of the grid, the owner, the signature, and two dots. */
const SHORTEST = 90;
const REMEMBERED = 10_000;

/**
 * Ids of driver sessions that say whose they are, so that every entrance of a grid knows it without a database:
 * `<id of the grid>.<owner>.<signature>`. The signature is that of a JWS of a kind of its own (`typ`, `aud`), whose
 * other parts are left out, since both sides know them: the id stays short enough for a path.
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

  /** Throws `Unavailable` without a signing key. `ownerId`: an account's, a UUID; null: none. */
  sign(gridId: string, ownerId: string | null): string {
    const own = this.#keys.own();
    if (own === undefined) throw new Unavailable('signing key unavailable');
    const owner = ownerId === null ? NO_OWNER : shortOf(ownerId);
    const signature = sign('sha256', this.#signed(gridId, ownerId), { key: own, dsaEncoding: 'ieee-p1363' });
    return `${gridId}.${owner}.${signature.toString('base64url')}`;
  }

  /** Undefined: nobody signed it. Throws `Unavailable` when that cannot be told. */
  ownerOf(id: string): SessionOwner {
    // First: whose keys are too old knows nothing any more.
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

/** The grid's own id of a session; one that is not signed is the grid's. */
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
  if (!UUID.test(uuid)) throw new TypeError('the id of an account is a UUID');
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
}

function uuidOf(short: string): string {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
