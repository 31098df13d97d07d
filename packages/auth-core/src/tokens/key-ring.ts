import { KeyObject } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, importJWK, importPKCS8, type JWK } from 'jose';

export const SIGNING_ALGORITHM = 'ES256';

export interface PublicSigningKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'ES256';
}

interface VerifyingKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly jwk: PublicSigningKey;
}

export interface SigningKey extends VerifyingKey {
  readonly privateKey: CryptoKey;
}

/**
 * A key that was replaced by another. It verifies tokens until its last token has expired (`until`, in ms since 1970).
 */
interface RetiredKey extends VerifyingKey {
  readonly until: number;
}

interface RingKeys {
  readonly current: SigningKey | undefined;
  /**
   * The next signing key. It is published before it is used, so that verifiers know the key when it signs its first
   * token.
   */
  readonly next?: VerifyingKey | undefined;
  readonly retired?: readonly RetiredKey[];
}

/**
 * Reads a signing key.
 * @param pem text of a P-256 private key in PKCS#8
 */
export async function signingKey(pem: string): Promise<SigningKey> {
  const privateKey = await importPKCS8(pem, SIGNING_ALGORITHM, { extractable: true });
  const { kty, crv, x, y } = (await exportJWK(privateKey)) as Required<JWK>;
  return { ...(await verifyingKey({ kty, crv, x, y })), privateKey };
}

type PublicPoint = Pick<PublicSigningKey, 'kty' | 'crv' | 'x' | 'y'>;

/**
 * Converts the members of a public JWK (curve P-256) to a key with which tokens can be verified. Rejects if they are
 * not a valid public key.
 */
export async function verifyingKey({ kty, crv, x, y }: PublicPoint): Promise<VerifyingKey> {
  const kid = await calculateJwkThumbprint({ kty, crv, x, y });
  const publicKey = await publicKeyOf({ kty, crv, x, y });
  return { kid, publicKey, jwk: { kty, crv, x, y, kid, use: 'sig', alg: SIGNING_ALGORITHM } };
}

/** Creates the public key of a point on the curve P-256. Rejects if the point is not a valid public key. */
export async function publicKeyOf({ kty, crv, x, y }: PublicPoint): Promise<KeyObject> {
  return KeyObject.from((await importJWK({ kty, crv, x, y }, SIGNING_ALGORITHM)) as CryptoKey);
}

/**
 * The signing keys of this installation, each named by its RFC 7638 thumbprint. One key signs, replaced keys verify
 * until their last token has expired, and one key may be published as the next. If the key file could not be read, the
 * ring has no current key and publishes no keys, and minting and verifying respond with 503 (contract 4).
 */
export class KeyRing {
  #keys: RingKeys;
  #removals = 0;
  readonly #listeners: (() => void)[] = [];

  private constructor(keys: RingKeys) {
    this.#keys = keys;
  }

  static empty(): KeyRing {
    return new KeyRing({ current: undefined });
  }

  static of(keys: RingKeys): KeyRing {
    return new KeyRing(keys);
  }

  static async fromPem(pem: string): Promise<KeyRing> {
    return new KeyRing({ current: await signingKey(pem) });
  }

  get current(): SigningKey | undefined {
    return this.#keys.current;
  }

  /** Counter that is incremented when a key is removed while tokens that it signed could still be valid. */
  get removals(): number {
    return this.#removals;
  }

  /**
   * Adds a listener that is called when `removals` is raised, so that the listener can check again whether verified
   * tokens are still valid.
   */
  onRemoval(listener: () => void): void {
    this.#listeners.push(listener);
  }

  replace(keys: RingKeys, now: number): void {
    const before = accepted(this.#keys, now);
    const after = new Set(accepted(keys, now));
    this.#keys = keys;
    if (before.every((kid) => after.has(kid))) return;
    this.#removals += 1;
    for (const listener of this.#listeners) listener();
  }

  /** @returns the key that verifies tokens with this `kid` at this time, or undefined if there is no such key */
  byId(kid: unknown, now: number): VerifyingKey | undefined {
    const { current, retired = [] } = this.#keys;
    if (current?.kid === kid) return current;
    return retired.find((key) => key.kid === kid && now < key.until);
  }

  /** @returns the public members of all keys, in the form of the response of `GET /svc/api/auth/jwks.json` */
  publicKeys(now: number): PublicSigningKey[] {
    const { current, next, retired = [] } = this.#keys;
    if (current === undefined) return [];
    const others = [...(next === undefined ? [] : [next]), ...retired.filter(({ until }) => now < until)];
    return [current, ...others.filter(({ kid }) => kid !== current.kid)].map(({ jwk }) => jwk);
  }
}

function accepted({ current, retired = [] }: RingKeys, now: number): string[] {
  const old = retired.filter(({ until }) => now < until).map(({ kid }) => kid);
  return current === undefined ? old : [current.kid, ...old];
}
