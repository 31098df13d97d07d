import { crc32 } from 'node:zlib';
import { API_TOKEN_PREFIX, ATTACH_TOKEN_PREFIX, LEASE_TOKEN_PREFIX } from '@svc/contract';
import type { Random } from '../ports/index.ts';
import { randomBase62, toBase62 } from './base62.ts';

const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;

/** Prefix of a secret with a checksum: of an API token, of a lease token, or of an attach address (contract 4, 15.4). */
type Prefix = typeof API_TOKEN_PREFIX | typeof ATTACH_TOKEN_PREFIX | typeof LEASE_TOKEN_PREFIX;

const FORMS: Record<Prefix, RegExp> = {
  [API_TOKEN_PREFIX]: formOf(API_TOKEN_PREFIX),
  [ATTACH_TOKEN_PREFIX]: formOf(ATTACH_TOKEN_PREFIX),
  [LEASE_TOKEN_PREFIX]: formOf(LEASE_TOKEN_PREFIX),
};

/**
 * @returns a new secret: the prefix, by default that of an API token, 43 base62 characters (256 random bits) and 6
 * digits of CRC-32 (contract 4)
 */
export function newTokenSecret(random: Random, prefix: Prefix = API_TOKEN_PREFIX): string {
  const body = prefix + randomBase62(random, BODY_LENGTH);
  return body + checksum(body);
}

/**
 * @returns false if the text does not have the form of a secret with this prefix. Such a text is refused without a
 * look-up in the database (contract 4)
 */
export function isTokenSecret(value: string, prefix: Prefix = API_TOKEN_PREFIX): boolean {
  return FORMS[prefix].test(value) && checksum(value.slice(0, -CHECK_LENGTH)) === value.slice(-CHECK_LENGTH);
}

function formOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}
