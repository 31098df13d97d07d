import { crc32 } from 'node:zlib';
import { API_TOKEN_PREFIX } from '@svc/contract';
import type { Random } from '../ports/index.ts';
import { randomBase62, toBase62 } from './base62.ts';

const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const FORM = new RegExp(`^${API_TOKEN_PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

/** A new API token: `svct_`, 43 base62 characters (256 random bits), 6 digits of CRC-32 (contract 4). */
export function newTokenSecret(random: Random): string {
  const body = API_TOKEN_PREFIX + randomBase62(random, BODY_LENGTH);
  return body + checksum(body);
}

/** False for anything that cannot be one of ours, so that a typo or a probe costs no look-up (contract 4). */
export function isTokenSecret(value: string): boolean {
  return FORM.test(value) && checksum(value.slice(0, -CHECK_LENGTH)) === value.slice(-CHECK_LENGTH);
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}
