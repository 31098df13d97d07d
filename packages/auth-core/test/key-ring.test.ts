import { beforeEach, describe, expect, it } from 'vitest';
import { KeyRing, signingKey } from '../src/tokens/key-ring.ts';
import { setUpCore } from './core.ts';
import { GRANT, type Installation, installation, signerOf } from './signing.ts';
import { NOON } from './support.ts';

const HOUR = 60 * 60 * 1000;

describe('the ring of signing keys (contract 4)', () => {
  let first: Installation;
  let second: Installation;
  beforeEach(async () => {
    [first, second] = [await installation(), await installation()];
  });

  it('publishes the next key before it signs, and verifies the old one until its tokens have ended', async () => {
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
    // It had ended by itself.
    ring.replace({ current: two }, clock.now());
    expect(ring.removals).toBe(0);
  });

  it('a key taken away ends what was remembered of it, at once', async () => {
    const core = setUpCore(first.ring);
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
    const core = setUpCore(first.ring);
    const ana = core.addUser('ana', 'Member');
    const { token } = await core.signer.mint({ ...GRANT, sub: ana.id });
    const from = { address: null, peer: null, requestId: null };
    const presented = { headers: { authorization: `Bearer ${token}` }, cookie: undefined };
    const two = await signingKey(second.pem);
    const asked = core.authenticator.authenticate(presented, from);
    first.ring.replace({ current: two }, core.clock.now());
    await expect(asked).rejects.toMatchObject({ code: 'invalid token' });
  });
});
