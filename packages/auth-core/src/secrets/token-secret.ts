import { crc32 } from 'node:zlib';
import { API_TOKEN_PREFIX, ATTACH_TOKEN_PREFIX, LEASE_TOKEN_PREFIX } from '@svc/contract';
import type { Random } from '../ports/index.ts';
import { randomBase62, toBase62 } from './base62.ts';

const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const FORM = formOf(API_TOKEN_PREFIX);
const LEASE_FORM = formOf(LEASE_TOKEN_PREFIX);
const ATTACH_FORM = formOf(ATTACH_TOKEN_PREFIX);

/** @returns a new API token: `svct_`, 43 base62 characters (256 random bits) and 6 digits of CRC-32 (contract 4) */
export function newTokenSecret(random: Random): string {
  return withChecksum(API_TOKEN_PREFIX + randomBase62(random, BODY_LENGTH));
}

/**
 * @returns false if the text does not have the form of an API token. Such a text is refused without a look-up in the
 * database (contract 4)
 */
export function isTokenSecret(value: string): boolean {
  return FORM.test(value) && hasChecksum(value);
}

/** @returns a new lease token: `svcl_`, 43 base62 characters and 6 digits of CRC-32, as in an API token (contract 4) */
export function newLeaseSecret(random: Random): string {
  return withChecksum(LEASE_TOKEN_PREFIX + randomBase62(random, BODY_LENGTH));
}

export function isLeaseSecret(value: string): boolean {
  return LEASE_FORM.test(value) && hasChecksum(value);
}

/** @returns a new secret of an attach address: `svca_`, 43 base62 characters and 6 digits of CRC-32 (contract 15.4) */
export function newAttachSecret(random: Random): string {
  return withChecksum(ATTACH_TOKEN_PREFIX + randomBase62(random, BODY_LENGTH));
}

export function isAttachSecret(value: string): boolean {
  return ATTACH_FORM.test(value) && hasChecksum(value);
}

function formOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);
}

function withChecksum(body: string): string {
  return body + checksum(body);
}

function hasChecksum(value: string): boolean {
  return checksum(value.slice(0, -CHECK_LENGTH)) === value.slice(-CHECK_LENGTH);
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECK_LENGTH);
}
