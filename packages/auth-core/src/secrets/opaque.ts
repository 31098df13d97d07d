import { createHash, hash } from 'node:crypto';
import { ACCESS_KEY_PREFIX } from '@svc/contract';
import type { Random } from '../ports/index.ts';
import { randomBase62 } from './base62.ts';

/** `svc_` and 24 base62 characters; names the user, is no secret by itself (specification 2, Access key). */
export function newAccessKey(random: Random): string {
  return ACCESS_KEY_PREFIX + randomBase62(random, 24);
}

const OPAQUE_SECRET = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, base64url: sign-in cookies and reset tokens (contract 4). */
export function newOpaqueSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

/** False for anything that cannot be one of those, so that a typo or a probe costs no look-up. */
export function isOpaqueSecret(value: string): boolean {
  return OPAQUE_SECRET.test(value);
}

/** The form a secret is stored and looked up in: SHA-256, hex. */
export function secretHash(secret: string): string {
  return hexOf(secretDigest(secret));
}

/** The same in half the length, a character for a byte: what is searched in memory on every request. */
export function secretDigest(secret: string): string {
  return hash === undefined
    ? createHash('sha256').update(secret).digest('binary')
    : hash('sha256', secret, 'binary');
}

export function hexOf(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('hex');
}

/** A password people can type over from a screen; about 95 bits. */
export function newTemporaryPassword(random: Random): string {
  return randomBase62(random, 16).replace(/(.{4})(?=.)/g, '$1-');
}
