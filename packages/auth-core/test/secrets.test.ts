import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Random } from '../src/ports/index.ts';
import { randomBase62, toBase62 } from '../src/secrets/base62.ts';
import { newAccessKey, newOpaqueSecret, newTemporaryPassword, secretHash } from '../src/secrets/opaque.ts';
import { isTokenSecret, newTokenSecret } from '../src/secrets/token-secret.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Creates a random generator that returns the given bytes repeatedly. */
function bytesFrom(given: readonly number[]): Random {
  let next = 0;
  return {
    bytes: (length) => Uint8Array.from({ length }, () => given[next++ % given.length] as number),
    uuid: () => '00000000-0000-4000-8000-000000000000',
  };
}

/** Creates a random generator with the same bytes for the same seed, which are SHA-256 in counter mode. */
function stream(seed: string): Random {
  let counter = 0;
  let pool: number[] = [];
  return {
    bytes: (length) => {
      while (pool.length < length) {
        pool = pool.concat([...createHash('sha256').update(`${seed}${counter++}`).digest()]);
      }
      return Uint8Array.from(pool.splice(0, length));
    },
    uuid: () => '00000000-0000-4000-8000-000000000000',
  };
}

const anyRandom = fc.string().map(stream);

describe('CRC-32', () => {
  it('CRC-32 is CRC-32 (IEEE) (contract 4)', () => {
    expect(crc32('123456789').toString(16)).toBe('cbf43926');
    expect(crc32('')).toBe(0);
    expect(crc32('The quick brown fox jumps over the lazy dog').toString(16)).toBe('414fa339');
  });

  it('CRC-32 is written in six base62 digits, left-padded (contract 4)', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 6)).toBe('00000z');
    expect(toBase62(62, 6)).toBe('000010');
    expect(toBase62(0xffffffff, 6)).toBe('4gfFC3');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (value) => {
        const digits = toBase62(value, 6);
        expect(digits).toHaveLength(6);
        expect([...digits].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)).toBe(value);
      }),
    );
  });
});

describe('base62', () => {
  it('base62 uses every byte below 248 four times per character and throws the rest away (contract 4)', () => {
    const everyByte = Array.from({ length: 256 }, (_, byte) => byte);
    const text = randomBase62(bytesFrom(everyByte), 248);
    const counts = [...ALPHABET].map((letter) => [...text].filter((one) => one === letter).length);
    expect(counts).toEqual(Array.from({ length: 62 }, () => 4));
  });

  it('base62 draws on until it has enough, however many bytes it must throw away (contract 4)', () => {
    expect(randomBase62(bytesFrom([255, 254, 253, 252, 251, 250, 249, 248, 5]), 10)).toBe('5'.repeat(10));
  });
});

describe('API token secrets', () => {
  it('API token secrets are svct_, 43 base62 characters and the checksum of all before (contract 4)', () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const secret = newTokenSecret(random);
        expect(secret).toMatch(/^svct_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
        expect(secret.slice(-6)).toBe(toBase62(crc32(secret.slice(0, -6)), 6));
        expect(isTokenSecret(secret)).toBe(true);
      }),
    );
  });

  it('one changed, missing, added or swapped character is no token of ours (contract 4)', () => {
    const secret = newTokenSecret(stream('fixed'));
    for (let place = 0; place < secret.length; place++) {
      const other = secret[place] === 'x' ? 'y' : 'x';
      expect(isTokenSecret(secret.slice(0, place) + other + secret.slice(place + 1))).toBe(false);
      expect(isTokenSecret(secret.slice(0, place) + secret.slice(place + 1))).toBe(false);
      expect(isTokenSecret(secret.slice(0, place) + other + secret.slice(place))).toBe(false);
    }
    for (const wrong of [
      '',
      'svct_',
      ` ${secret}`,
      `${secret}\n`,
      `${secret} `,
      secret.toLowerCase(),
      'svc_x',
    ]) {
      expect(isTokenSecret(wrong)).toBe(false);
    }
    expect(isTokenSecret(`svcT_${secret.slice(5)}`)).toBe(false);
  });

  it('API token secrets do not repeat (contract 4)', () => {
    const random = stream('many');
    expect(new Set(Array.from({ length: 500 }, () => newTokenSecret(random))).size).toBe(500);
  });
});

describe('other secrets', () => {
  it('access keys are svc_ and 24 base62 characters (spec 2 Access key; contract 4)', () => {
    fc.assert(
      fc.property(anyRandom, (random) => void expect(newAccessKey(random)).toMatch(/^svc_[0-9A-Za-z]{24}$/)),
    );
  });

  it('cookies and reset tokens are 256 bits, base64url (contract 4)', () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const secret = newOpaqueSecret(random);
        expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
        expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
      }),
    );
  });

  it('temporary passwords are four groups of four', () => {
    expect(newTemporaryPassword(stream('t'))).toMatch(/^[0-9A-Za-z]{4}(-[0-9A-Za-z]{4}){3}$/);
  });

  it('other secrets are kept as SHA-256 (contract 4)', () => {
    expect(secretHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(secretHash('ключ')).toBe(createHash('sha256').update('ключ', 'utf8').digest('hex'));
  });
});
