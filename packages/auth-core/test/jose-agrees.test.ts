import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { TOKEN_TYPES } from '@svc/contract';
import fc from 'fast-check';
import { errors, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { base64url, CLAIMS, type Installation, installation } from '../src/testing/signing.ts';
import { NOON } from '../src/testing/support.ts';
import { readHeader, verifySigned } from '../src/tokens/verify-signed.ts';

/*
 * The server verifies signatures with node:crypto and claims with its own code. These tests compare it with the library
 * jose. With the same options, jose has to accept every token that the server accepts. If the server refuses a token
 * that jose accepts, one of the server's additional rules must be the reason.
 */

const AUDIENCES = Object.keys(TOKEN_TYPES) as (keyof typeof TOKEN_TYPES)[];
const SECOND = NOON / 1000;
/** Order of the curve P-256. Both `s` and `ORDER - s` give a valid signature of the same text. */
const ORDER = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

let here: Installation;
let elsewhere: Installation;
const keys = new Map<Installation, KeyObject>();

beforeAll(async () => {
  [here, elsewhere] = await Promise.all([installation(), installation()]);
  for (const at of [here, elsewhere]) keys.set(at, createPrivateKey(at.pem));
});

const REMOVED = Symbol('removed');
type Change = readonly [name: string, value: unknown];

/** Writes JSON that may contain duplicate members, and values that `JSON.stringify` cannot write. */
function written(object: object, changes: readonly Change[]): string {
  const members = new Map<string, unknown>(Object.entries(object));
  const twice: string[] = [];
  for (const [name, value] of changes) {
    if (value === REMOVED) members.delete(name);
    else if (members.has(name) && twice.length < 2) twice.push(member(name, value));
    else members.set(name, value);
  }
  const all = [...[...members].map(([name, value]) => member(name, value)), ...twice];
  return `{${all.join(',')}}`;
}

/**
 * Writes a member of a JSON object. If the value is a text in angle brackets, the text inside is written as a number,
 * because JavaScript cannot represent that number.
 */
function member(name: string, value: unknown): string {
  const literal = typeof value === 'string' ? /^<(.*)>$/.exec(value)?.[1] : undefined;
  return `${JSON.stringify(name)}:${literal ?? JSON.stringify(value) ?? 'null'}`;
}

const moment = fc.oneof(
  fc.integer({ min: SECOND - 40, max: SECOND + 40 }),
  fc.constantFrom('<1e400>', '<-1e400>', '<-0>', 1e15, 1e300, -1, 0, 0.5, SECOND + 20.5, '<NaN>', '<1.>'),
  fc.constantFrom('4000000000', null, true, [SECOND + 60], {}, REMOVED),
);
const text = fc.constantFrom('', 'x', '\ud800', '\u0000', 7, null, ['svc'], {}, REMOVED);
const claimChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom('exp', 'nbf', 'iat'), moment),
  fc.tuple(fc.constantFrom('iss', 'sub', 'jti'), fc.oneof(text, fc.constant('svc'))),
  fc.tuple(fc.constant('aud'), fc.oneof(text, fc.constantFrom(...AUDIENCES, 'constructor', ['svc-rest']))),
  fc.tuple(fc.constantFrom('team', 'res', 'sid', 'scope', 'sie', 'guarded', 'holder', '__proto__'), text),
  fc.tuple(fc.constant('scopes'), fc.constantFrom(['read'], 'admin', null, { admin: true }, REMOVED)),
);
const headerChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constant('alg'), fc.constantFrom('none', 'HS256', 'ES384', 'es256', '', ['ES256'], REMOVED)),
  fc.tuple(fc.constant('typ'), fc.constantFrom(...Object.values(TOKEN_TYPES), 'JWT', null, REMOVED)),
  fc.tuple(
    fc.constantFrom('b64', 'crit', 'jku', 'jwk', 'zip', '__proto__'),
    fc.constantFrom(false, ['b64'], {}),
  ),
);

interface Written {
  readonly header: string;
  readonly claims: string;
}
const genuine = (aud: keyof typeof TOKEN_TYPES): Written => ({
  header: written({ alg: 'ES256', typ: TOKEN_TYPES[aud], kid: here.kid }, []),
  claims: written({ ...CLAIMS, aud }, []),
});
const anyWritten = fc
  .record({
    aud: fc.constantFrom(...AUDIENCES),
    header: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.tuple(headerChange) },
    ),
    claims: fc.array(claimChange, { maxLength: 2 }),
    odd: fc.oneof(
      { weight: 19, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('[]', 'null', '"x"', '{', '\ufeff{}', '') },
    ),
  })
  .map(({ aud, header, claims, odd }) => () => {
    const plain = genuine(aud);
    return {
      header: written(JSON.parse(plain.header), header),
      claims: odd ?? written(JSON.parse(plain.claims), claims),
    };
  });

const bytesOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
/** Changes of a valid signature, which consists of the numbers r and s. */
const SIGNATURES: Record<string, (good: Buffer, signed: string) => Buffer> = {
  good: (good) => good,
  'with the other s': (good) =>
    Buffer.concat([good.subarray(0, 32), bytesOf(ORDER - BigInt(`0x${good.toString('hex', 32)}`))]),
  'with s and the order': (good) => Buffer.concat([good.subarray(0, 32), bytesOf(ORDER)]),
  'without r': (good) => Buffer.concat([Buffer.alloc(32), good.subarray(32)]),
  'without s': (good) => Buffer.concat([good.subarray(0, 32), Buffer.alloc(32)]),
  'of zeros': () => Buffer.alloc(64),
  'of ones': () => Buffer.alloc(64, 255),
  'the wrong way round': (good) => Buffer.concat([good.subarray(32), good.subarray(0, 32)]),
  'one byte short': (good) => good.subarray(0, 63),
  'one byte long': (good) => Buffer.concat([good, Buffer.alloc(1)]),
  'in DER': (_good, signed) => sign('sha256', Buffer.from(signed), keys.get(here) as KeyObject),
  'over other bytes': (_good, signed) => signature(here, `${signed} `),
  "another key's": (_good, signed) => signature(elsewhere, signed),
  'an HMAC of the public key': (_good, signed) =>
    createHmac('sha512', here.publicKey.export({ type: 'spki', format: 'der' }))
      .update(signed)
      .digest(),
};
const anySignature = fc.oneof(
  { weight: 4, arbitrary: fc.constant('good') },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(SIGNATURES)) },
);
/** Ways to join the three parts of a token to one text. Most of these texts are not valid tokens. */
const SPELLINGS: Record<string, (parts: readonly string[]) => string> = {
  plain: (parts) => parts.join('.'),
  padded: (parts) => parts.map((part) => part.padEnd(Math.ceil(part.length / 4) * 4, '=')).join('.'),
  'in the other alphabet': (parts) =>
    parts.map((part) => part.replaceAll('-', '+').replaceAll('_', '/')).join('.'),
  'with a line end': (parts) => `${parts.join('.')}\n`,
  'with a blank': (parts) => parts.join('. '),
  'in four parts': (parts) => `${parts.join('.')}.`,
  'without a signature': ([header, claims]) => `${header}.${claims}.`,
};
const anySpelling = fc.oneof(
  { weight: 6, arbitrary: fc.constant('plain') },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(SPELLINGS)) },
);

function signature(at: Installation, signed: string): Buffer {
  return sign('sha256', Buffer.from(signed), { key: keys.get(at) as KeyObject, dsaEncoding: 'ieee-p1363' });
}

interface Asked {
  readonly now: number;
  readonly toleranceSec: number;
}

function byOurs(token: string, { now, toleranceSec }: Asked) {
  const header = readHeader(token);
  if (header === undefined) return 'malformed';
  const expected = { audiences: AUDIENCES, issuer: 'svc', now, toleranceSec };
  return verifySigned(token, header.typ, here.publicKey, expected);
}

async function byJose(token: string, { now, toleranceSec }: Asked) {
  try {
    return await jwtVerify(token, here.publicKey, {
      algorithms: ['ES256'],
      issuer: 'svc',
      currentDate: new Date(now),
      clockTolerance: toleranceSec,
      requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
    });
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

describe('a token is accepted (contract 4)', () => {
  it('only where jose accepts it with the same options, and is never an error', {
    timeout: 60_000,
  }, async () => {
    const seen = { accepted: 0, refused: 0 };
    const asked = fc.record({
      now: fc.integer({ min: NOON - 2_000, max: NOON + 2_000 }),
      toleranceSec: fc.constantFrom(0, 30),
    });
    await fc.assert(
      fc.asyncProperty(anyWritten, anySignature, anySpelling, asked, async (make, signed, spelling, at) => {
        const { header, claims } = make();
        const content = `${base64url(header)}.${base64url(claims)}`;
        const bytes = SIGNATURES[signed]?.(signature(here, content), content) as Buffer;
        const parts = [...content.split('.'), bytes.toString('base64url')];
        const token = SPELLINGS[spelling]?.(parts) as string;
        const ours = byOurs(token, at);
        seen[typeof ours === 'string' ? 'refused' : 'accepted'] += 1;
        if (typeof ours === 'string') return;
        const theirs = await byJose(token, at);
        expect(theirs?.payload).toBeDefined();
        expect({ ...ours, scopes: null }).toEqual({ ...theirs?.payload, scopes: null });
        expect(['good', 'with the other s']).toContain(signed);
        expect(token).toBe(parts.join('.'));
      }),
      { numRuns: 3000 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(300);
  });

  it('a token is accepted at exactly the moments at which jose accepts it (contract 4)', async () => {
    const near = fc.constantFrom(...[-31, -30, -29, -1, 0, 1, 29, 30, 31].map((away) => SECOND + away));
    const claims = fc.record({ exp: near, iat: near, nbf: fc.option(near, { nil: undefined }) });
    const asked = fc.record({
      now: fc.constantFrom(NOON - 1, NOON, NOON + 1, NOON + 999),
      toleranceSec: fc.constantFrom(0, 30),
    });
    await fc.assert(
      fc.asyncProperty(claims, asked, async (times, at) => {
        const { header } = genuine('svc-rest');
        const content = `${base64url(header)}.${base64url({ ...CLAIMS, ...times })}`;
        const token = `${content}.${signature(here, content).toString('base64url')}`;
        expect(typeof byOurs(token, at) === 'object').toBe((await byJose(token, at)) !== null);
      }),
      { numRuns: 500 },
    );
  });
});
