import { BearerScheme, Rejected, Unavailable } from '@svc/auth-core';
import {
  CLAIMS,
  fakeClock,
  GRANT,
  type Installation,
  installation,
  NOON,
  sign,
  signerOf,
  silentLog,
} from '@svc/auth-core/testing';
import { BEARER_AUDIENCES } from '@svc/contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HubKeys } from '../src/tokens/hub-keys.ts';
import { RemoteVerifier } from '../src/tokens/remote-verifier.ts';

const MINUTE = 60_000;

let first: Installation;
let second: Installation;
let clock: ReturnType<typeof fakeClock>;
/** Keys that the other server publishes, or null if it does not respond. */
let published: Installation[] | null;
let learned: string[];
/** Function that runs during the look-up of an account. */
let meanwhile: () => Promise<void>;
/** Seconds for which the other server accepts a token. */
let longestLife: number;
let keys: HubKeys;
let verifier: RemoteVerifier;
let scheme: BearerScheme;

beforeAll(async () => {
  [first, second] = await Promise.all([installation(), installation()]);
});

beforeEach(() => {
  clock = fakeClock(NOON);
  published = [first];
  learned = [];
  longestLife = Number.POSITIVE_INFINITY;
  meanwhile = async () => undefined;
  const fetch = async () => {
    if (published === null) throw new Error('connection refused');
    return { keys: published.flatMap(({ ring }) => ring.publicKeys(NOON)) };
  };
  keys = new HubKeys({ fetch, clock, log: silentLog() });
  const learn = async (id: string) => {
    learned.push(id);
    await meanwhile();
  };
  verifier = new RemoteVerifier({ keys, issuer: 'svc', clock, longestLife: () => longestLife, learn });
  scheme = new BearerScheme(verifier, { find: () => undefined });
});

const shown = { headers: {}, cookie: undefined };
const present = async (token: string) => await scheme.verify(shown, token);

describe('a token of another server', () => {
  it('a token of another server is judged as that server judges it, and its account is asked for only when it is good (contract 4)', async () => {
    const change = fc.constantFrom<object>(
      {},
      { aud: 'svc-session' },
      { iss: 'other' },
      { exp: NOON / 1000 },
      { nbf: NOON / 1000 + 60 },
      { sub: 7 },
      { exp: 1e15 },
    );
    const header = fc.constantFrom<object>(
      {},
      { typ: 'hub+jwt' },
      { kid: 'x' },
      { kid: 7 },
      { jku: 'https://x.test' },
    );
    await fc.assert(
      fc.asyncProperty(change, header, fc.boolean(), async (claims, head, foreign) => {
        const token = await sign(
          foreign ? second : first,
          { ...CLAIMS, ...claims },
          { kid: first.kid, ...head },
        );
        learned.length = 0;
        const there = signerOf(first).signer.verify(token, BEARER_AUDIENCES);
        const here = await verifier.verify(token, BEARER_AUDIENCES);
        expect(typeof here).toBe(typeof there);
        if (typeof there === 'object') expect(here).toEqual(there);
        expect(learned).toEqual(typeof there === 'object' ? [there.sub] : []);
      }),
      { numRuns: 120 },
    );
  });

  it('an entrance accepts a token no longer than the first entrance keeps its revocation (contract 10.4)', async () => {
    const { token } = await signerOf(first).signer.mint({ ...GRANT, lifetime: 3600 });
    longestLife = 1200;
    expect(await present(token)).toMatchObject({ expiresAt: NOON + 1200 * 1000 });
    clock.advance(1200 * 1000);
    expect(await present(token)).toEqual(new Rejected('bearer token: expired'));
  });

  it('an entrance rejects every wrong token asynchronously, also without keys (contract 8.3)', async () => {
    published = null;
    const { token } = await signerOf(first).signer.mint(GRANT);
    for (const text of [token, 'a.b.c', '']) {
      const asked = scheme.verify(shown, text);
      expect(asked).toBeInstanceOf(Promise);
      const outcome = await Promise.resolve(asked).catch((error: unknown) => error);
      if (text === token) expect(outcome).toBeInstanceOf(Unavailable);
      else expect(outcome).toEqual(new Rejected('bearer token: malformed'));
    }
    published = [first];
    clock.advance(1_000);
    expect(await present(token)).toMatchObject({ accountId: 'user-1' });
  });

  it('a token of another server is refused when its key is taken away while its account is asked for (contract 4)', async () => {
    const { token } = await signerOf(first).signer.mint(GRANT);
    meanwhile = async () => {
      published = [second];
      await keys.reload();
    };
    expect(await Promise.all([present(token), present(token)])).toEqual(
      Array(2).fill(new Rejected('bearer token: unknown key')),
    );
    expect(new Set(learned)).toEqual(new Set(['user-1']));
  });

  it('a verified token is refused once its key is gone, and cannot be verified once the keys are too old (contract 4)', async () => {
    const long = signerOf(first).signer;
    const { token } = await long.mint({ ...GRANT, lifetime: 3600 });
    const other = await signerOf(second).signer.mint(GRANT);
    expect(await present(token)).toMatchObject({ accountId: 'user-1' });
    published = [second];
    // A token with an unknown key makes this server fetch the keys, and the other server no longer publishes the old
    // key.
    clock.advance(MINUTE);
    expect(await present(other.token)).toMatchObject({ accountId: 'user-1' });
    expect(await present(token)).toEqual(new Rejected('bearer token: unknown key'));
    published = null;
    clock.advance(10 * MINUTE);
    const unseen = await sign(second, { ...CLAIMS, jti: 'unseen' });
    await expect(present(unseen)).rejects.toBeInstanceOf(Unavailable);
  });
});
