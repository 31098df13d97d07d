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

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: PublicSigningKey;
}

/**
 * The one signing key of this installation, named by its RFC 7638 thumbprint. An empty ring is a key file that
 * could not be read: the set published is empty, minting and verifying answer 503 (contract 4).
 */
export class KeyRing {
  readonly #key: SigningKey | undefined;

  private constructor(key: SigningKey | undefined) {
    this.#key = key;
  }

  static empty(): KeyRing {
    return new KeyRing(undefined);
  }

  /** Takes a PKCS#8 PEM holding a P-256 private key. */
  static async fromPem(pem: string): Promise<KeyRing> {
    const privateKey = await importPKCS8(pem, SIGNING_ALGORITHM, { extractable: true });
    const { kty, crv, x, y } = (await exportJWK(privateKey)) as Required<JWK>;
    const kid = await calculateJwkThumbprint({ kty, crv, x, y });
    const jwk = { kty, crv, x, y, kid, use: 'sig', alg: SIGNING_ALGORITHM } as const;
    const publicKey = (await importJWK({ kty, crv, x, y }, SIGNING_ALGORITHM)) as CryptoKey;
    return new KeyRing({ kid, privateKey, publicKey, jwk });
  }

  get current(): SigningKey | undefined {
    return this.#key;
  }

  byId(kid: unknown): SigningKey | undefined {
    return this.#key?.kid === kid ? this.#key : undefined;
  }

  /** Public members only, as `GET /svc/api/auth/jwks.json` answers them. */
  publicKeys(): PublicSigningKey[] {
    return this.#key === undefined ? [] : [this.#key.jwk];
  }
}
