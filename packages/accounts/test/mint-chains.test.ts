import type { Caller } from '@svc/auth-core';
import { effectiveScopes, missing, NO_SCOPES, Refusal, type ScopeSet, scopeList } from '@svc/auth-core';
import {
  anyRole,
  anyScopeSet,
  BEARER,
  callerOf,
  DAY,
  type Installation,
  installation,
  NOON,
  NOTHING,
  refusalOfAsync,
  type Shown,
} from '@svc/auth-core/testing';
import { MCP_SCOPES, ROLES, type Role, SCOPES } from '@svc/contract';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

let here: Installation;

beforeAll(async () => {
  here = await installation();
});

const TEAMS = ['team-a', 'team-b'];

/** One way to create a credential with another credential. Each step first advances the clock. */
type Step = { wait: number; role?: (typeof ROLES)[number] | undefined } & (
  | { make: 'bearer' }
  | { make: 'mcp'; scopes?: string[] | undefined; ttl: number }
  | { make: 'session token'; ttl: number }
  | { make: 'profile token'; scopes?: string[] | undefined; expiresIn: number | null | undefined }
  | { make: 'api key'; scopes: string[]; expiresIn: number | null | undefined; teamId: string | undefined }
  | { make: 'sign-in' }
);

const wait = fc.integer({ min: 0, max: 4000 });
const role = fc.option(fc.constantFrom(...ROLES), { nil: undefined, freq: 8 });
const shared = { wait, role };
const ttl = fc.integer({ min: 1, max: 100_000 });
const expiresIn = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.integer({ min: 1, max: 20_000_000 }),
);
const someScopes = fc.subarray([...SCOPES], { minLength: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ ...shared, make: fc.constant('bearer' as const) }),
  fc.record({
    ...shared,
    make: fc.constant('mcp' as const),
    scopes: fc.option(fc.subarray([...MCP_SCOPES]), { nil: undefined }),
    ttl,
  }),
  fc.record({ ...shared, make: fc.constant('session token' as const), ttl }),
  fc.record({
    ...shared,
    make: fc.constant('profile token' as const),
    scopes: fc.option(someScopes, { nil: undefined }),
    expiresIn,
  }),
  fc.record({
    ...shared,
    make: fc.constant('api key' as const),
    scopes: someScopes,
    expiresIn,
    teamId: fc.constantFrom(undefined, ...TEAMS),
  }),
  fc.record({ ...shared, make: fc.constant('sign-in' as const) }),
);

interface Made {
  readonly caller: Caller;
  /** Credential that the next step can use, or null after a session token, which cannot create other credentials. */
  readonly presented: Shown | null;
}

async function take(core: TestAccounts, source: Caller, way: Step): Promise<Made> {
  const instant = (ms: number | null | undefined) =>
    typeof ms === 'number' ? new Date(core.clock.now() + ms).toISOString() : ms;
  const proven = async (presented: Shown) => ({
    caller: await core.verify(presented),
    presented,
  });
  switch (way.make) {
    case 'bearer':
      return proven((await core.issue(source)).bearer);
    case 'mcp':
      return proven((await core.issue(source, { audience: 'svc-mcp', scopes: way.scopes }, way.ttl)).bearer);
    case 'session token': {
      const { sessionToken } = await core.issue(source, { audience: 'svc-mcp' }, way.ttl);
      if (sessionToken === undefined) throw new Refusal('scope_exceeds_key');
      return { caller: await core.authenticator.authenticateSessionToken(sessionToken), presented: null };
    }
    case 'profile token': {
      const input = { name: 'made', scopes: way.scopes, expiresAt: instant(way.expiresIn) };
      return proven(core.pair(source.account, core.apiTokens.createProfileToken(source, input).secret));
    }
    case 'api key': {
      const { scopes, teamId } = way;
      const input = { name: 'made', scopes, expiresAt: instant(way.expiresIn), teamId };
      return proven(core.pair(source.account, core.apiTokens.createApiKey(source, input).secret));
    }
    case 'sign-in':
      return proven({ ...NOTHING, cookie: core.dashboardSessions.open(source, null).cookie });
  }
}

const endOf = (moment: number | null) => moment ?? Number.POSITIVE_INFINITY;

describe('chains of mintings', () => {
  it('nothing made outlives or out-scopes its source, and the bond to a team stays (spec 5.2.1, 5.2.3, 5.3.1, contract 2 teamId)', async () => {
    const made = new Map<string, number>();
    const start = fc.record({
      // A Super admin is more likely than other roles, because most ways to create a credential require this role.
      role: fc.oneof(fc.constant<Role>('Super admin'), anyRole),
      scopes: anyScopeSet,
      life: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: null }),
      teamId: fc.constantFrom(null, ...TEAMS),
    });
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { minLength: 1, maxLength: 8 }), async (first, steps) => {
        const core = setUpAccounts(here.ring);
        for (const id of TEAMS) core.arrange.teams.insert({ id, name: id });
        const owner = core.addUser('owner', first.role);
        const expiresAt = first.life === null ? null : NOON + first.life;
        const { pair } = core.addToken(owner, { scopes: first.scopes, teamId: first.teamId, expiresAt });
        let presented: Shown = pair;
        for (const way of steps) {
          core.clock.advance(way.wait);
          if (way.role !== undefined) core.arrange.accounts.update(owner.id, { role: way.role });
          try {
            const source = await core.verify(presented);
            const next = await take(core, source, way);
            check(source, next.caller, way);
            made.set(way.make, (made.get(way.make) ?? 0) + 1);
            presented = next.presented ?? presented;
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
        }
      }),
      { numRuns: 600 },
    );
    // The test proves something only if each way to create a credential was used often enough.
    for (const way of ['bearer', 'mcp', 'session token', 'profile token', 'api key', 'sign-in']) {
      expect(made.get(way) ?? 0, way).toBeGreaterThan(10);
    }
  }, 60_000);

  function check(source: Caller, made: Caller, { make }: Step): void {
    expect(missing(made.scopes, source.scopes), make).toBe(NO_SCOPES);
    expect(missing(made.scopes, effectiveScopes(made.scopes, made.account.role))).toBe(NO_SCOPES);
    expect(endOf(made.grantsUntil), make).toBeLessThanOrEqual(endOf(source.grantsUntil));
    expect(endOf(made.expiresAt), make).toBeLessThanOrEqual(endOf(source.grantsUntil));
    expect(made.account.id).toBe(source.account.id);
    if (source.teamId !== null || make !== 'api key') expect(made.teamId, make).toBe(source.teamId);
    if (['bearer', 'mcp', 'session token'].includes(make)) expect((made.expiresAt as number) % 1000).toBe(0);
  }

  it('a bearer token lives whole seconds, the shorter of its own life and what is left (spec 5.3.1, contract 4)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1000, max: 5_000_000 }),
        fc.integer({ min: 0, max: 999 }),
        async (left, fraction) => {
          const core = setUpAccounts(here.ring);
          core.clock.advance(fraction);
          const now = core.clock.now();
          const { pair } = core.addToken(core.addUser('owner', 'Member'), { expiresAt: now + left });
          const issued = await core.issue(await core.verify(pair));
          expect(issued.expiresIn).toBe(Math.min(3600, Math.floor(left / 1000)));
          const { iat, exp } = JSON.parse(
            Buffer.from(issued.token.split('.')[1] as string, 'base64url').toString(),
          );
          expect(exp - iat).toBe(issued.expiresIn);
          expect(iat).toBe(Math.floor(now / 1000));
          expect(exp * 1000).toBeLessThanOrEqual(now + left);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a mint from a credential with less than one second left is 400 expiry_exceeds_credential (contract 4)', async () => {
    for (const fraction of [0, 1, 500, 900, 999]) {
      const core = setUpAccounts(here.ring);
      core.clock.advance(fraction);
      const owner = core.addUser('owner', 'Member');
      const left = (ms: number) => core.addToken(owner, { expiresAt: core.clock.now() + ms }).pair;
      for (const audience of ['svc-rest', 'svc-mcp']) {
        const source = await core.verify(left(999));
        expect(await refusalOfAsync(() => core.issue(source, { audience }))).toMatchObject({
          code: 'expiry_exceeds_credential',
          status: 400,
        });
        expect((await core.issue(await core.verify(left(1000)), { audience })).expiresIn).toBe(1);
      }
    }
  });

  it('one hour for svc-rest, SVC_MCP_TOKEN_TTL_SEC for svc-mcp, its session token as long (spec 5.3)', async () => {
    const core = setUpAccounts(here.ring);
    const source = await core.verify(core.addToken(core.addUser('owner', 'Member')).pair);
    expect(await core.issue(source)).toMatchObject({ audience: 'svc-rest', expiresIn: 3600 });
    expect(await core.issue(source)).not.toHaveProperty('sessionToken');
    const mcp = await core.issue(source, { audience: 'svc-mcp' }, 777);
    expect(mcp).toMatchObject({
      audience: 'svc-mcp',
      expiresIn: 777,
      scopes: ['auto:use', 'svc:devices:read'],
    });
    const session = await core.authenticator.authenticateSessionToken(mcp.sessionToken as string);
    expect(session.expiresAt).toBe((await core.verify(mcp.bearer)).expiresAt);
  });

  it('a sign-in and a key without expiry bound nothing (spec 5.3.1)', async () => {
    const core = setUpAccounts(here.ring);
    const owner = core.addUser('owner', 'Member');
    core.clock.advance(DAY - 1000);
    const presented = await core.signIn(owner);
    for (const source of [await core.verify(presented), await core.verify(core.addToken(owner).pair)]) {
      expect((await core.issue(source)).expiresIn).toBe(3600);
      // The token may expire later than the sign-in would without further requests.
      expect((await core.issue(source, { audience: 'svc-mcp' }, 30 * 86_400)).expiresIn).toBe(30 * 86_400);
      expect(core.apiTokens.createProfileToken(source, { name: 'never' }).token.expiresAt).toBeNull();
    }
  });

  it('an svc-mcp token says its MCP scopes in scope, an svc-rest token has none (contract 4)', async () => {
    const core = setUpAccounts(here.ring);
    const source = await core.verify(core.addToken(core.addUser('owner', 'Admin')).pair);
    const payload = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    const asked = ['svc:recordings', 'auto:use'];
    const mcp = payload((await core.issue(source, { audience: 'svc-mcp', scopes: asked })).token);
    expect(mcp).toMatchObject({ scope: 'auto:use svc:recordings', scopes: ['sessions'], aud: 'svc-mcp' });
    expect(payload((await core.issue(source)).token)).not.toHaveProperty('scope');
  });

  it('a made-up set of scopes mints no more than the role of its user may hold now (contract 3.2)', async () => {
    const core = setUpAccounts(here.ring);
    const user = core.addUser('owner', 'Member');
    await fc.assert(
      fc.asyncProperty(anyRole, anyScopeSet, async (now, granted) => {
        core.arrange.accounts.update(user.id, { role: now });
        const caller = callerOf(now, granted as ScopeSet, {
          account: core.user(user.id),
          credential: BEARER,
        });
        const issued = await core.issue(caller);
        expect(issued.scopes).toEqual(scopeList(caller.scopes));
        if (now === 'Member') expect(issued.scopes).not.toContain('admin');
      }),
      { numRuns: 40 },
    );
  });
});
