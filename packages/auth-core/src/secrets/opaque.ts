import { createHash, hash } from 'node:crypto';
import { ACCESS_KEY_PREFIX } from '@svc/contract';
import type { Random } from '../ports/index.ts';
import { randomBase62 } from './base62.ts';

/**
 * @returns a new access key, which is `svc_` and 24 base62 characters. An access key names the user and is not secret
 * (specification 2, Access key).
 */
export function newAccessKey(random: Random): string {
  return ACCESS_KEY_PREFIX + randomBase62(random, 24);
}

const OPAQUE_SECRET = /^[A-Za-z0-9_-]{43}$/;

/** @returns 256 random bits in base64url, for sign-in cookies and reset tokens (contract 4) */
export function newOpaqueSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

/**
 * @returns false if the text does not have the form of a sign-in cookie or reset token. Such a text is refused without
 * a look-up in the database
 */
export function isOpaqueSecret(value: string): boolean {
  return OPAQUE_SECRET.test(value);
}

/** @returns the form in which a secret is stored and looked up: SHA-256 in hexadecimal */
export function secretHash(secret: string): string {
  return hexOf(secretDigest(secret));
}

/**
 * @returns SHA-256 of the secret as a string with one character per byte, half as long as in hexadecimal. Caches use it
 * as their key
 */
export function secretDigest(secret: string): string {
  return hash === undefined
    ? createHash('sha256').update(secret).digest('binary')
    : hash('sha256', secret, 'binary');
}

export function hexOf(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('hex');
}

/** @returns a random password of about 95 bits, in groups of four characters so that it is easy to copy by hand */
export function newTemporaryPassword(random: Random): string {
  return randomBase62(random, 16).replace(/(.{4})(?=.)/g, '$1-');
}
