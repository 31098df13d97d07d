import { crc32 } from 'node:zlib';
import { ACCESS_KEY_PREFIX, API_TOKEN_PREFIX, LEASE_TOKEN_PREFIX } from '@svc/contract';

/** What the text of a token shows without asking a server. */
export interface TokenKind {
  readonly kind: string;
  /** Whether the checksum is correct. Null if this kind of token has no checksum. */
  readonly checksum: boolean | null;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK_LENGTH = 6;
const WITH_CHECKSUM = new Map([
  [API_TOKEN_PREFIX, 'a Profile token, an API key or a SCIM key'],
  [LEASE_TOKEN_PREFIX, 'the token of a lease'],
]);
/** Kind of a signed token by its header `typ` (contract 4). */
const SIGNED = new Map([
  ['at+jwt', 'a bearer token'],
  ['session+jwt', 'a session token'],
  ['ticket+jwt', 'a ticket'],
  ['hub+jwt', 'a token between hub and node'],
]);
const SIGNED_FORM = /^([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** @returns the kind and checksum of a token, or undefined if the text does not have the form of a token of svc */
export function tokenKind(text: string): TokenKind | undefined {
  for (const [prefix, kind] of WITH_CHECKSUM)
    if (text.startsWith(prefix)) return { kind, checksum: hasChecksum(text, prefix) };
  if (new RegExp(`^${ACCESS_KEY_PREFIX}[0-9A-Za-z]{24}$`).test(text))
    return { kind: 'an access key, which is no secret', checksum: null };
  const [, header] = SIGNED_FORM.exec(text) ?? [];
  const kind = header === undefined ? undefined : SIGNED.get(typeOf(header));
  return kind === undefined ? undefined : { kind, checksum: null };
}

/** Returns whether the last six digits are the CRC-32 of everything before them, in base62 (contract 4). */
function hasChecksum(text: string, prefix: string): boolean {
  if (!new RegExp(`^${prefix}[0-9A-Za-z]{49}$`).test(text)) return false;
  let rest = crc32(text.slice(0, -CHECK_LENGTH));
  let digits = '';
  while (digits.length < CHECK_LENGTH) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits === text.slice(-CHECK_LENGTH);
}

function typeOf(header: string): string {
  try {
    const { typ } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    return String(typ).toLowerCase();
  } catch {
    return '';
  }
}
