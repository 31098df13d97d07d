import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign, importPKCS8, type JWTPayload } from 'jose';
import { KeyRing } from '../tokens/key-ring.ts';
import { type Grant, TokenSigner } from '../tokens/signer.ts';
import { fakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { NOON } from './support.ts';

export interface Installation {
  readonly pem: string;
  readonly publicKey: KeyObject;
  readonly ring: KeyRing;
  readonly kid: string;
}

/** Creates a signing key and the key ring of a server that uses it. */
export async function installation(): Promise<Installation> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const ring = await KeyRing.fromPem(pem);
  return { pem, publicKey, ring, kid: ring.publicKeys(NOON)[0]?.kid as string };
}

export function signerOf({ ring }: Pick<Installation, 'ring'>, issuer = 'svc') {
  const clock = fakeClock(NOON);
  return { clock, signer: new TokenSigner(ring, clock, seededRandom(7), issuer) };
}

export const GRANT: Grant = {
  sub: 'user-1',
  aud: 'svc-rest',
  scopes: ['read', 'sessions'],
  lifetime: 3600,
  until: null,
};

/** Claims of a valid `svc-rest` token at `NOON`. */
export const CLAIMS: JWTPayload & Record<string, unknown> = {
  iss: 'svc',
  sub: 'user-1',
  aud: 'svc-rest',
  iat: NOON / 1000,
  exp: NOON / 1000 + 3600,
  jti: 'token-1',
  scopes: ['read', 'sessions'],
};

/**
 * Signs any claims with the installation's key. In production, only a defect or a thief of the key could sign such
 * claims.
 */
export async function sign(
  at: Installation,
  payload: unknown,
  header: Record<string, unknown> & { crit?: string[] } = {},
): Promise<string> {
  const key = await importPKCS8(at.pem, 'ES256');
  const bytes = new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const protectedHeader = { alg: 'ES256', typ: 'at+jwt', kid: at.kid, ...header };
  return new CompactSign(bytes)
    .setProtectedHeader(protectedHeader)
    .sign(key, { crit: { exp: true, 'urn:x': true } });
}

export function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}
