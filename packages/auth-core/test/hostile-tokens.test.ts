import { createHmac, generateKeyPairSync, sign as signRaw } from 'node:crypto';
import { BEARER_AUDIENCES, TOKEN_TYPES } from '@svc/contract';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import {
  base64url,
  CLAIMS,
  GRANT,
  type Installation,
  installation,
  sign,
  signerOf,
} from '../src/testing/signing.ts';
import { NOON } from '../src/testing/support.ts';
import { KeyRing } from '../src/tokens/key-ring.ts';
import type { TokenSigner } from '../src/tokens/signer.ts';

/**
 * Reasons for rejecting a wrong signature. If its length is wrong, the token is malformed; otherwise, verification
 * fails.
 */
const BAD_SIGNATURE = ['signature', 'malformed'];

let here: Installation;
let elsewhere: Installation;
let good: string;

beforeAll(async () => {
  [here, elsewhere] = await Promise.all([installation(), installation()]);
  good = (await signerOf(here).signer.mint(GRANT)).token;
});

function verify(token: string, audiences: Parameters<TokenSigner['verify']>[1] = BEARER_AUDIENCES) {
  return signerOf(here).signer.verify(token, audiences);
}

/** Creates a token with the given header, payload and signature. */
function forge(header: object, payload: unknown, signature: (input: string) => string): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signature(input)}`;
}

describe('a good token', () => {
  it('a good token carries exactly alg, typ and kid, and the claims of its kind (contract 4)', async () => {
    const { signer } = signerOf(here);
    const { token, claims } = await signer.mint({ ...GRANT, aud: 'svc-mcp', scope: 'auto:use' });
    const [header, payload] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header as string)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: here.kid });
    expect(JSON.parse(payload as string)).toEqual({ ...claims });
    expect(claims).toMatchObject({
      iss: 'svc',
      sub: 'user-1',
      aud: 'svc-mcp',
      iat: NOON / 1000,
      exp: NOON / 1000 + 3600,
      scopes: ['read', 'sessions'],
      scope: 'auto:use',
    });
    expect(await signer.verify(token, BEARER_AUDIENCES)).toEqual(claims);
  });

  it('a token is good for its own audience with its own typ only (contract 4)', async () => {
    const { signer } = signerOf(here);
    const audiences = Object.keys(TOKEN_TYPES) as (keyof typeof TOKEN_TYPES)[];
    for (const aud of audiences) {
      const { token } = await signer.mint({ ...GRANT, aud });
      for (const asked of audiences) {
        const answer = await signer.verify(token, [asked]);
        expect(typeof answer === 'string' ? answer : answer.aud).toBe(asked === aud ? aud : 'wrong kind');
      }
    }
  });

  it('a token has no clock tolerance: it is good to the last millisecond, and not at exp (contract 4)', async () => {
    const { clock, signer } = signerOf(here);
    const { token } = await signer.mint(GRANT);
    clock.set(NOON + 3_600_000 - 1);
    expect(await signer.verify(token, BEARER_AUDIENCES)).toMatchObject({ sub: 'user-1' });
    clock.set(NOON + 3_600_000);
    expect(await signer.verify(token, BEARER_AUDIENCES)).toBe('expired');
  });
});

describe('hostile headers', () => {
  test.each([
    ['none', ''],
    ['None', ''],
    ['nOnE', 'AAAA'],
    ['', ''],
  ])('a token with the algorithm %j is refused (contract 4)', async (alg, signature) => {
    const header = { alg, typ: 'at+jwt', kid: here.kid };
    expect(await verify(forge(header, CLAIMS, () => signature))).toBe('malformed');
  });

  it('a token signed by HS256 with the public key as the secret is refused (contract 4)', async () => {
    const jwk = JSON.stringify(here.ring.publicKeys(NOON)[0]);
    const spki = here.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    for (const secret of [jwk, spki, here.publicKey.export({ type: 'spki', format: 'der' })]) {
      const header = { alg: 'HS256', typ: 'at+jwt', kid: here.kid };
      const mac = (input: string) => createHmac('sha256', secret).update(input).digest('base64url');
      expect(await verify(forge(header, CLAIMS, mac))).toBe('malformed');
      expect(await verify(forge({ ...header, alg: 'ES256' }, CLAIMS, mac))).toBe('malformed');
    }
  });

  it('tokens signed by RS256, ES384 and EdDSA with other keys are refused (contract 4)', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
    const ed = generateKeyPairSync('ed25519').privateKey;
    const kid = here.kid;
    for (const [alg, digest, key] of [
      ['RS256', 'sha256', rsa],
      ['ES384', 'sha384', p384],
      ['EdDSA', null, ed],
    ] as const) {
      const signature = (input: string) => signRaw(digest, Buffer.from(input), key).toString('base64url');
      expect(await verify(forge({ alg, typ: 'at+jwt', kid }, CLAIMS, signature))).toBe('malformed');
      expect(BAD_SIGNATURE).toContain(
        await verify(forge({ alg: 'ES256', typ: 'at+jwt', kid }, CLAIMS, signature)),
      );
    }
  });

  it('jku, x5u, x5c, jwk, crit, b64, zip or anything else makes it no token of ours (contract 4)', async () => {
    const jwk = elsewhere.ring.publicKeys(NOON)[0];
    for (const extra of [
      { jku: 'https://evil.test/jwks.json' },
      { x5u: 'https://evil.test/cert.pem' },
      { x5c: ['MIIB'] },
      { jwk },
      { crit: ['exp'], exp: 1 },
      { crit: ['urn:x'], 'urn:x': true },
      { zip: 'DEF' },
      { cty: 'JWT' },
      { nonce: 'x' },
    ]) {
      expect(await verify(await sign(here, CLAIMS, extra)), JSON.stringify(extra)).toBe('malformed');
      expect(await verify(await sign(elsewhere, CLAIMS, { ...extra, kid: here.kid }))).toBe('malformed');
    }
  });

  it('a kid that is not ours picks no key (contract 4)', async () => {
    const own = here.kid;
    for (const kid of [
      '',
      'x',
      `${own} `,
      own.toLowerCase(),
      '../signing-key.pem',
      "' OR 1=1",
      '__proto__',
    ]) {
      expect(await verify(await sign(here, CLAIMS, { kid })), kid).toBe('unknown key');
    }
    for (const kid of [undefined, null, 0, true, [own], { own }]) {
      const header = { alg: 'ES256', typ: 'at+jwt', kid };
      expect(await verify(forge(header, CLAIMS, () => good.split('.')[2] as string))).toBe('unknown key');
    }
  });

  it("(issue) another installation's token, also under our kid", async () => {
    const foreign = (await signerOf(elsewhere).signer.mint(GRANT)).token;
    expect(await verify(foreign)).toBe('unknown key');
    expect(await verify(await sign(elsewhere, CLAIMS, { kid: here.kid }))).toBe('signature');
  });

  it('a token with a wrong typ is refused (contract 4)', async () => {
    for (const typ of [
      'JWT',
      'session+jwt',
      'ticket+jwt',
      'hub+jwt',
      'AT+JWT',
      'application/at+jwt',
      '',
      null,
    ]) {
      expect(await verify(await sign(here, CLAIMS, { typ })), `${typ}`).toBe('wrong kind');
    }
    expect(await verify(await sign(here, CLAIMS, { typ: undefined }))).toBe('wrong kind');
  });
});

describe('hostile payloads', () => {
  test.each([
    ['another issuer', { iss: 'evil' }],
    ['no issuer', { iss: undefined }],
    ['issuers in a list', { iss: ['svc'] }],
    ['an audience nobody knows', { aud: 'svc' }],
    ['an audience of Object.prototype', { aud: 'constructor' }],
    ['audiences in a list', { aud: ['svc-rest'] }],
    ['several audiences', { aud: ['svc-rest', 'svc-session'] }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is no text', { sub: 7 }],
    ['no id', { jti: undefined }],
    ['an id that is no text', { jti: {} }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is no number', { exp: '4000000000' }],
    ['an expiry no calendar has', { exp: 1e15 }],
    ['an expiry in parts of a second', { exp: NOON / 1000 + 60.5 }],
    ['no time of issue', { iat: undefined }],
    ['a time of issue that is no number', { iat: 'now' }],
    ['a team that is no text', { team: 7 }],
    ['a sign-in epoch that is no number', { sie: '0' }],
    ['MCP scopes that are no text', { scope: ['auto:use'] }],
    ['a resource that is no text', { res: {} }],
    ['a holder that is no record', { holder: 'ana' }],
    ['a holder without a credential', { holder: { credential: null } }],
    ['a holder whose credential has no id', { holder: { credential: { kind: 'sign-in', id: ['x'] } } }],
    ['a holder whose credential is of no kind', { holder: { credential: { kind: 7, id: 'x' } } }],
    ['a beginning in the future', { nbf: NOON / 1000 + 60 }],
    ['a beginning that is no number', { nbf: 'now' }],
    ['a beginning that is null', { nbf: null }],
  ])('a token with %s is refused (contract 4)', async (_, change) => {
    expect(await verify(await sign(here, { ...CLAIMS, ...change }))).toBe('wrong kind');
  });

  it.each(['1e400', '-1e400'])(
    'a token with a time beyond all numbers, %s, is refused (contract 4)',
    async (time) => {
      const endless = JSON.stringify({ ...CLAIMS, nbf: 0 });
      for (const name of ['exp', 'iat', 'nbf']) {
        const payload = endless.replace(new RegExp(`"${name}":\\d+`), `"${name}":${time}`);
        expect(payload).not.toBe(endless);
        expect(await verify(await sign(here, payload)), name).toBe('wrong kind');
      }
    },
  );

  it('the last of two equal claims in a payload counts (contract 4)', async () => {
    const twice = JSON.stringify(CLAIMS).replace(/}$/, ',"exp":1}');
    expect(await verify(await sign(here, twice))).toBe('expired');
  });

  it('a token that expired to the second, or long ago, is refused (contract 4)', async () => {
    expect(await verify(await sign(here, { ...CLAIMS, exp: NOON / 1000 }))).toBe('expired');
    expect(await verify(await sign(here, { ...CLAIMS, exp: 1 }))).toBe('expired');
    expect(await verify(await sign(here, { ...CLAIMS, exp: NOON / 1000 + 1 }))).toMatchObject({
      sub: 'user-1',
    });
  });

  it('(issue) a payload that is no object', async () => {
    for (const payload of ['[]', 'null', '"text"', '7', '', 'not json', '{"iss":"svc"']) {
      expect(await verify(await sign(here, payload)), payload).toBe('malformed');
    }
  });

  it('a session token without scopes is verified, and allows nothing (spec 2 Session token)', async () => {
    const { scopes: _, ...older } = CLAIMS;
    for (const change of [{}, { scopes: null }, { scopes: 'admin' }, { scopes: { admin: true } }]) {
      expect(await verify(await sign(here, { ...older, ...change }))).toMatchObject({ scopes: [] });
    }
    const mixed = await sign(here, { ...older, scopes: ['root', 'read', 7, '__proto__'] });
    expect(await verify(mixed)).toMatchObject({ scopes: ['read'] });
  });
});

describe('without a key', () => {
  it('minting and verifying are unavailable and the published set is empty (contract 4)', async () => {
    const { signer } = signerOf({ ring: KeyRing.empty() });
    await expect(signer.mint(GRANT)).rejects.toBeInstanceOf(Unavailable);
    expect(() => signer.verify(good, BEARER_AUDIENCES)).toThrow(Unavailable);
    expect(() => signer.verify('garbage', BEARER_AUDIENCES)).toThrow(Unavailable);
    expect(KeyRing.empty().publicKeys(NOON)).toEqual([]);
  });
});
