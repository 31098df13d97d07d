import { SCOPES, TOKEN_TYPES } from '@svc/contract';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { BearerScheme } from '../src/credentials/bearer.ts';
import { Rejected } from '../src/credentials/verification.ts';
import { setUpCore } from '../src/testing/core.ts';
import { seededRandom } from '../src/testing/index.ts';
import { GRANT, type Installation, installation, signerOf } from '../src/testing/signing.ts';
import { NOON } from '../src/testing/support.ts';
import { KeyRing, type SigningKey, signingKey } from '../src/tokens/key-ring.ts';
import { TokenSigner, type TokenVerifier } from '../src/tokens/signer.ts';

const AUDIENCES = Object.keys(TOKEN_TYPES) as (keyof typeof TOKEN_TYPES)[];
const HOUR = 60 * 60 * 1000;

describe('the ring of signing keys (contract 4)', () => {
  let first: Installation;
  let second: Installation;
  beforeEach(async () => {
    [first, second] = [await installation(), await installation()];
  });

  it('the ring of signing keys publishes the next key before it signs, and verifies the old one until its tokens have ended (contract 4)', async () => {
    const [one, two] = [await signingKey(first.pem), await signingKey(second.pem)];
    const ring = KeyRing.of({ current: one });
    const { signer, clock } = signerOf({ ring });
    const { token } = await signer.mint(GRANT);

    ring.replace({ current: one, next: two }, clock.now());
    expect(ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([first.kid, second.kid]);
    const early = await signerOf(second).signer.mint(GRANT);
    expect(await signer.verify(early.token, ['svc-rest'])).toBe('unknown key');

    ring.replace({ current: two, retired: [{ ...one, until: NOON + HOUR }] }, clock.now());
    expect(ring.removals).toBe(0);
    expect(await signer.verify(token, ['svc-rest'])).toMatchObject({ sub: 'user-1' });
    expect((await signer.mint(GRANT)).token.split('.')[0]).not.toBe(token.split('.')[0]);
    expect(ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([second.kid, first.kid]);

    clock.advance(HOUR);
    expect(await signer.verify(token, ['svc-rest'])).toBe('unknown key');
    expect(ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([second.kid]);
    // The removed key had already expired, so its removal is not counted.
    ring.replace({ current: two }, clock.now());
    expect(ring.removals).toBe(0);
  });

  it('a key taken away ends what was remembered of it, at once', async () => {
    const core = setUpCore(first.ring, memoryStores());
    const ana = core.addUser('ana', 'Member');
    const { token } = await core.signer.mint({ ...GRANT, sub: ana.id });
    const from = { address: null, peer: null, requestId: null };
    const presented = { headers: { authorization: `Bearer ${token}` }, cookie: undefined };
    const ask = async () => core.authenticator.authenticate(presented, from);
    const asCommand = async () => core.authenticator.authenticateCommand(presented, from);
    for (let again = 0; again < 3; again++) {
      expect((await ask()).account.id).toBe(ana.id);
      expect((await asCommand())?.account.id).toBe(ana.id);
    }
    const known = await asCommand();
    first.ring.replace({ current: await signingKey(second.pem) }, core.clock.now());
    expect(known && core.authenticator.holds(known)).toBe(false);
    await expect(ask()).rejects.toMatchObject({ code: 'invalid token', reason: 'bearer token: unknown key' });
    await expect(asCommand()).rejects.toMatchObject({ code: 'invalid token' });
  });

  it('a signature that was being checked when its key was taken away counts as none', async () => {
    const { signer } = signerOf(first);
    const { token } = await signer.mint(GRANT);
    const two = await signingKey(second.pem);
    // `verify` returns a promise, as it does for tokens of another server, whose keys may have to be fetched first.
    const verifier: TokenVerifier = {
      get keyRemovals() {
        return signer.keyRemovals;
      },
      verify: async (...asked) => signer.verify(...asked),
    };
    const scheme = new BearerScheme(verifier, { find: () => undefined });
    const asked = scheme.verify({ headers: {}, cookie: undefined }, token);
    first.ring.replace({ current: two }, NOON);
    expect(await asked).toEqual(new Rejected('bearer token: unknown key'));
  });

  it('the server that signed a token and one that did not judge it alike, whenever and by whichever keys', async () => {
    const keys = await Promise.all([first.pem, second.pem].map(signingKey));
    const grant = fc.record({
      aud: fc.constantFrom(...AUDIENCES),
      scopes: fc.subarray([...SCOPES]),
      lifetime: fc.integer({ min: 1, max: 20 }),
      until: fc.option(fc.integer({ min: NOON + 1000, max: NOON + 20_000 })),
    });
    const step = fc.record({
      after: fc.integer({ min: 0, max: 9_000 }),
      current: fc.nat(1),
      retires: fc.boolean(),
      audiences: fc.subarray([...AUDIENCES], { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(grant, fc.array(step, { maxLength: 6 }), async (granted, steps) => {
        const [one] = keys as [SigningKey, SigningKey];
        const ring = KeyRing.of({ current: one });
        const { signer: here, clock } = signerOf({ ring });
        // `here` knows the token because it signed it, `there` because it has verified it, and a new signer does not.
        const newSigner = () => new TokenSigner(ring, clock, seededRandom(8), 'svc');
        const there = newSigner();
        const { token } = await here.mint({ ...granted, sub: 'user-1' });
        for (const { after, current, retires, audiences } of steps) {
          clock.advance(after);
          const [now, old] = current === 0 ? keys : [...keys].reverse();
          const retired = retires ? [{ ...(old as SigningKey), until: clock.now() + 5_000 }] : [];
          ring.replace({ current: now, retired }, clock.now());
          const judged = newSigner().verify(token, audiences);
          for (const signer of [here, there, there]) expect(signer.verify(token, audiences)).toEqual(judged);
        }
      }),
      { numRuns: 200 },
    );
  });
});
