import { BEARER_AUDIENCES } from '@svc/contract';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  base64url,
  CLAIMS,
  GRANT,
  type Installation,
  installation,
  sign,
  signerOf,
} from '../src/testing/signing.ts';

/**
 * Reasons for rejecting a wrong signature. If its length is wrong, the token is malformed; otherwise, verification
 * fails.
 */
const BAD_SIGNATURE = ['signature', 'malformed'];

let here: Installation;
let good: string;

beforeAll(async () => {
  here = await installation();
  good = (await signerOf(here).signer.mint(GRANT)).token;
});

const verify = (token: string) => signerOf(here).signer.verify(token, BEARER_AUDIENCES);

describe('tampering', () => {
  it('a token with any other payload under the same signature is refused (contract 4)', async () => {
    const [header, , signature] = good.split('.') as [string, string, string];
    for (const change of [{ scopes: ['admin'] }, { sub: 'user-2' }, { exp: CLAIMS.exp as number }]) {
      const payload = base64url({ ...CLAIMS, ...change });
      expect(await verify([header, payload, signature].join('.'))).toBe('signature');
    }
  });

  it('a token with any one character changed, cut or added, anywhere, is refused (contract 4)', async () => {
    const letter = fc.constantFrom(...'ABCXYZabcxyz0189-_.=+/ \u0000é');
    const edit = fc.constantFrom(
      (token: string, place: number, other: string) => token.slice(0, place) + other + token.slice(place + 1),
      (token: string, place: number, other: string) => token.slice(0, place) + other + token.slice(place),
      (token: string, place: number) => token.slice(0, place) + token.slice(place + 1),
      (token: string, place: number) => token.slice(0, place),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(), letter, edit, async (at, other, change) => {
        const tampered = change(good, at % (good.length + 1), other);
        fc.pre(tampered !== good);
        expect(await verify(tampered)).toBeTypeOf('string');
      }),
      { numRuns: 300 },
    );
  });

  it('(issue) garbage of any shape is a fault, never an error', async () => {
    const part = fc.oneof(fc.string(), fc.json().map(base64url), fc.constantFrom(...good.split('.')));
    const token = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        fc.pre(text !== good);
        expect(await verify(text)).toBeTypeOf('string');
      }),
      { numRuns: 500 },
    );
  });

  it('signatures that are empty, all zero, cut, doubled or in DER are refused (contract 4)', async () => {
    const [header, payload, signature] = good.split('.') as [string, string, string];
    const raw = Buffer.from(signature, 'base64url');
    const der = Buffer.concat([
      Buffer.from([0x30, 0x44, 2, 32]),
      raw.subarray(0, 32),
      Buffer.from([2, 32]),
      raw.subarray(32),
    ]);
    const bad = [Buffer.alloc(0), Buffer.alloc(64), raw.subarray(0, 63), Buffer.concat([raw, raw]), der];
    for (const bytes of bad) {
      const token = `${header}.${payload}.${bytes.toString('base64url')}`;
      expect(BAD_SIGNATURE).toContain(await verify(token));
    }
  });

  it('the spare bits of the last character and blanks do not make a second spelling (contract 4)', async () => {
    const last = good.at(-1) as string;
    for (const other of [...'ABCDEFGHQRSTgwxyz0123456789-_'].filter((letter) => letter !== last)) {
      expect(BAD_SIGNATURE, other).toContain(await verify(good.slice(0, -1) + other));
    }
    for (const token of [
      `${good} `,
      ` ${good}`,
      `${good}\n`,
      `${good}=`,
      `${good}==`,
      good.replace('.', ' .'),
    ]) {
      expect(await verify(token)).toBe('malformed');
    }
  });

  it('an oversized one is refused unread', async () => {
    const huge = await sign(here, { ...CLAIMS, padding: 'x'.repeat(8192) });
    expect(await verify(huge)).toBe('malformed');
    expect(await verify('a'.repeat(1_000_000))).toBe('malformed');
  });
});
