import type { Role } from '@svc/contract';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyCredential } from '../src/credentials/key-pair.ts';
import { credentialSchemes } from '../src/credentials/schemes.ts';
import { Refusal } from '../src/errors.ts';
import { RateLimiter } from '../src/limits/rate-limiter.ts';
import type { RequestOrigin } from '../src/request-origin.ts';
import { newAccessKey } from '../src/secrets/opaque.ts';
import {
  type Core,
  credentialOf,
  DAY,
  KINDS,
  type Shown,
  setUpCore,
  TestAuthenticator,
} from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { callerOf } from '../src/testing/support.ts';

/** Events between two requests that affect the users `ana` and `sam`, their tokens and sign-ins. */
const steps = fc.oneof(
  fc.record({ what: fc.constant('role' as const), user: fc.nat(1), role: fc.constantFrom(...roles()) }),
  fc.record({ what: fc.constant('status' as const), user: fc.nat(1), active: fc.boolean() }),
  fc.record({
    what: fc.constantFrom('rotate' as const, 'epoch' as const, 'remove' as const),
    user: fc.nat(1),
  }),
  fc.record({ what: fc.constantFrom('revoke' as const, 'limit' as const), token: fc.nat(3) }),
  fc.record({ what: fc.constant('end' as const), user: fc.nat(1) }),
  fc.record({
    what: fc.constant('wait' as const),
    ms: fc.constantFrom(1, 999, 30_000, 60_000, 3_600_000, DAY),
  }),
  fc.record({ what: fc.constant('failed change' as const), user: fc.nat(1) }),
);
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

function roles(): Role[] {
  return ['Member', 'Admin', 'Super admin'];
}

describe('callers that are known', () => {
  let here: Installation;

  beforeAll(async () => {
    here = await installation();
  });

  it('callers in memory are admitted exactly as if everything were asked again, whatever happened in between', {
    timeout: 30_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (happened) => {
        const core = setUpCore(here.ring, memoryStores());
        const world = await furnish(core);
        await expectSame(core, world.credentials);
        for (const step of happened) {
          happen(core, world, step);
          await expectSame(core, world.credentials);
        }
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
    );
  });

  it('the same key from another address is noted, and the first one once only (contract 2, /audit)', async () => {
    const core = setUpCore(here.ring, memoryStores());
    const { pair } = core.addToken(core.addUser('ana', 'Member'));
    for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.2']) {
      await core.authenticator.authenticate(pair, { address, peer: null, requestId: null });
    }
    core.audit.flush();
    expect(core.stores.audit.page(null, 10).map(({ address }) => address)).toEqual(['10.0.0.2', '10.0.0.1']);
  });

  it('each caller stands for its own request (contract 1)', async () => {
    const core = setUpCore(here.ring, memoryStores());
    const presented = await credentialOf(core, core.addUser('ana', 'Member'), 'sign-in');
    const from = (requestId: string): RequestOrigin => ({ address: '10.0.0.1', peer: null, requestId });
    const [first, second] = ['r-1', 'r-2'].map((id) => core.authenticator.authenticate(presented, from(id)));
    expect([first, second]).toMatchObject([{ from: { requestId: 'r-1' } }, { from: { requestId: 'r-2' } }]);
  });

  it.each(['key', 'sign-in'] as const)(
    'a %s whose account changes while its use is noted is asked for again (spec 5.1.2)',
    async (kind) => {
      const core = setUpCore(here.ring, memoryStores());
      const { apiTokens, signIns } = core.stores;
      const ana = core.addUser('ana', 'Member');
      const presented = await credentialOf(core, ana, kind);
      const deactivate = () => {
        core.arrange.accounts.update(ana.id, { status: 'Inactive' });
      };
      Object.assign(apiTokens, { touch: deactivate });
      Object.assign(signIns, { extend: deactivate });
      core.clock.advance(DAY / 2);
      await core.verify(presented);
      await expect(core.verify(presented)).rejects.toBeInstanceOf(Refusal);
    },
  );

  it('a known caller and a new one of the same user use up one allowance, however many came between (spec 8.1.2)', async () => {
    const core = setUpCore(here.ring, memoryStores());
    const ana = core.addUser('ana', 'Member');
    const known = await credentialOf(core, ana, 'sign-in');
    const left = async (presented: Shown) =>
      core.limiter.take(await core.verify(presented), 'change').remaining;
    expect([await left(known), await left(known)]).toEqual([299, 298]);
    for (const others of [1, 60_000]) {
      crowd(core, others);
      const before = await left(known);
      expect(await left(await credentialOf(core, ana, 'sign-in'))).toBe(before - 1);
      expect(await left(known)).toBe(before - 2);
    }
    crowd(core, 120_000);
    expect(await left(await credentialOf(core, ana, 'sign-in'))).toBe(299);
    expect(await left(known)).toBe(298);
  });

  it('a known token is worth nothing beside another access key, and none as another kind (spec 5.1.3)', async () => {
    const core = setUpCore(here.ring, memoryStores());
    const { pair } = core.addToken(core.addUser('ana', 'Member'));
    const other = core.addUser('bob', 'Member');
    await core.verify(pair);
    const { token } = pair;
    const none = { accessKey: undefined, token: undefined, bearer: undefined, cookie: undefined };
    for (const wrong of [
      { ...pair, accessKey: other.accessKey },
      { ...pair, accessKey: undefined },
      { ...none, bearer: token },
      { ...none, cookie: token },
    ]) {
      await expect(core.verify(wrong)).rejects.toBeInstanceOf(Refusal);
      await core.verify(pair);
    }
  });
});

/** Sends requests of `size` other callers. */
function crowd({ limiter }: Core, size: number): void {
  for (let other = 0; other < size; other += 1) {
    const credential = keyCredential(`other-${size}-${other}`, 100);
    limiter.take(callerOf('Member', undefined, { credential }), 'read');
  }
}

interface World {
  readonly users: readonly string[];
  readonly tokens: readonly string[];
  readonly credentials: readonly Shown[];
}

async function furnish(core: Core): Promise<World> {
  const users = [core.addUser('ana', 'Admin'), core.addUser('sam', 'Super admin')];
  const keys = users.flatMap((user) => [
    core.addToken(user),
    core.addToken(user, { expiresAt: core.clock.now() + 90_000 }),
  ]);
  const credentials = keys.map(({ pair }) => pair);
  for (const user of users) for (const kind of KINDS) credentials.push(await credentialOf(core, user, kind));
  return { users: users.map(({ id }) => id), tokens: keys.map(({ token }) => token.id), credentials };
}

function happen({ stores, arrange, clock, random }: Core, { users, tokens }: World, step: Step): void {
  if (step.what === 'wait') {
    clock.advance(step.ms);
    return;
  }
  if ('token' in step) {
    const id = tokens[step.token] as string;
    if (step.what === 'revoke') arrange.apiTokens.revoke(id);
    else arrange.apiTokens.setRateLimit(id, 17);
    return;
  }
  const id = users[step.user] as string;
  if (step.what === 'role') arrange.accounts.update(id, { role: step.role });
  if (step.what === 'status') arrange.accounts.update(id, { status: step.active ? 'Active' : 'Inactive' });
  if (step.what === 'rotate') arrange.accounts.update(id, { accessKey: newAccessKey(random) });
  if (step.what === 'epoch') arrange.accounts.update(id, { signInEpoch: clock.now() });
  if (step.what === 'remove') arrange.accounts.remove(id);
  if (step.what === 'end') arrange.signIns.endAllOf(id);
  if (step.what === 'failed change') {
    const failing = () =>
      stores.transaction((tx) => {
        tx.accounts.update(id, { status: 'Inactive' });
        throw new Error('no');
      });
    expect(failing).toThrow('no');
  }
}

async function expectSame(core: Core, credentials: readonly Shown[]): Promise<void> {
  const { stores, clock, signer, audit } = core;
  const schemes = credentialSchemes({ stores, signer, signInTtlMs: DAY });
  for (const presented of credentials) {
    const known = await outcome(core.authenticator, presented);
    const asked = await outcome(
      new TestAuthenticator({ stores, clock, audit, limiter: new RateLimiter(clock), schemes, signer }),
      presented,
    );
    expect(known).toEqual(asked);
  }
}

/**
 * @returns the caller of a request or its refusal, for comparison. Left out are the expiry of a sign-in, which may be
 * up to a minute old in the cache, and members that exist only for speed.
 */
async function outcome(authenticator: TestAuthenticator, presented: Shown): Promise<unknown> {
  try {
    const {
      expiresAt,
      extended: _extended,
      rateBuckets: _allowance,
      ...caller
    } = await authenticator.authenticate(presented);
    return caller.credential.kind === 'sign-in' ? caller : { ...caller, expiresAt };
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
