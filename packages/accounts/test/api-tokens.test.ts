import {
  type Account,
  type Caller,
  effectiveScopes,
  isTokenSecret,
  NO_CREDENTIAL,
  scopeList,
  scopeSet,
  secretHash,
} from '@svc/auth-core';
import {
  BEARER,
  type Installation,
  installation,
  KEY,
  NOON,
  refusalOf,
  SIGN_IN,
} from '@svc/auth-core/testing';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { NewApiKey } from '../src/tokens/api-tokens.ts';
import { rotateAccessKey } from '../src/users/access-key.ts';
import { setUpAccounts, type TestAccounts } from './accounts.ts';

let here: Installation;
let core: TestAccounts;
let member: Account;
let admin: Account;
let superAdmin: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpAccounts(here.ring);
  for (const name of ['a', 'b']) core.arrange.teams.insert({ id: `team-${name}`, name });
  member = core.addUser('mia', 'Member');
  admin = core.addUser('adam', 'Admin');
  superAdmin = core.addUser('sam', 'Super admin');
});

function as(account: Account, change: Partial<Caller> = {}): Caller {
  return {
    account,
    credential: SIGN_IN,
    scopes: effectiveScopes(scopeSet(['read', 'sessions', 'devices', 'admin']), account.role),
    expiresAt: null,
    grantsUntil: null,
    extended: false,
    teamId: null,
    from: { address: '10.0.0.1', peer: '10.0.0.1', requestId: 'r-1' },
    ...change,
  };
}

const trail = () => core.stores.audit.page(null, 100).reverse();

describe('Profile tokens', () => {
  it('the secret is given once; the store has its hash, the audit trail neither (spec 2 Token, 5.1.4)', () => {
    const { token, secret } = core.apiTokens.createProfileToken(as(member), { name: ' CI ' });
    expect(isTokenSecret(secret)).toBe(true);
    expect(token).toMatchObject({
      ownerId: member.id,
      kind: 'profile',
      name: 'CI',
      rateLimit: 300,
      teamId: null,
      createdAt: NOON,
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(token.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(scopeList(token.scopes)).toEqual(['read', 'sessions']);
    expect(core.stores.apiTokens.byHash(secretHash(secret))?.id).toBe(token.id);
    for (const place of [core.stores.apiTokens.listAll(), trail()]) {
      expect(JSON.stringify(place)).not.toContain(secret);
      expect(JSON.stringify(place)).not.toContain(secretHash(secret));
    }
    expect(trail()).toEqual([
      expect.objectContaining({
        event: 'authn_token_created',
        actor: member.id,
        target: token.id,
        address: '10.0.0.1',
        requestId: 'r-1',
      }),
    ]);
  });

  it('one made with a key of a team has the bond too (contract 2, teamId)', () => {
    const caller = as(member, { teamId: 'team-a' });
    expect(core.apiTokens.createProfileToken(caller, { name: 'x' }).token.teamId).toBe('team-a');
  });

  it('a refused request leaves nothing behind', () => {
    const expiring = as(member, { grantsUntil: NOON + 1000 });
    for (const [input, code] of [
      [{ name: '' }, 'invalid_name'],
      [{ name: 'x', scopes: ['nonsense'] }, 'unknown_scope'],
      [{ name: 'x', scopes: ['admin'] }, 'scope_exceeds_credential'],
      [{ name: 'x', expiresAt: 'tomorrow' }, 'invalid_expiry'],
      [{ name: 'x', expiresAt: null }, 'expiry_exceeds_credential'],
    ] as const) {
      expect(refusalOf(() => core.apiTokens.createProfileToken(expiring, input)).code).toBe(code);
    }
    expect(core.stores.apiTokens.listAll()).toEqual([]);
    expect(trail()).toEqual([]);
  });

  it('an account has 500 live Profile tokens or less; expired and revoked ones and API keys do not count (contract 4)', () => {
    const live = Array.from({ length: 499 }, () => core.addToken(member, { kind: 'profile' }).token);
    core.addToken(member, { kind: 'profile', expiresAt: NOON });
    core.addToken(member, { kind: 'api-key' });
    core.addToken(admin, { kind: 'profile' });
    const make = () => core.apiTokens.createProfileToken(as(member), { name: 'x' });
    make();
    expect(refusalOf(make)).toMatchObject({ code: 'too_many_tokens', status: 409, fields: { limit: 500 } });
    core.apiTokens.revokeOwn(as(member), live[0]?.id ?? '');
    make();
    expect(refusalOf(make).code).toBe('too_many_tokens');
    core.apiTokens.createProfileToken(as(admin), { name: 'x' });
  });

  it('only the 500 that expired last are kept', () => {
    const expired = Array.from(
      { length: 510 },
      (_, turn) => core.addToken(member, { kind: 'profile', expiresAt: NOON - turn }).token,
    );
    core.apiTokens.createProfileToken(as(member), { name: 'x' });
    const kept = new Set(core.apiTokens.listOwn(as(member)).map(({ id }) => id));
    expect(kept.size).toBe(501);
    expect(expired.findIndex(({ id }) => !kept.has(id))).toBe(500);
  });

  it('a token whose audit row cannot be written is not made', () => {
    Object.assign(core.stores.audit, {
      append: () => {
        throw new Error('disk full');
      },
    });
    expect(() => core.apiTokens.createProfileToken(as(member), { name: 'x' })).toThrow('disk full');
    expect(core.stores.apiTokens.listAll()).toEqual([]);
  });
});

describe('API keys', () => {
  const make = (input: Partial<NewApiKey> = {}, caller = as(admin)) =>
    core.apiTokens.createApiKey(caller, { name: 'grid', scopes: ['sessions'], ...input }).token;

  it('API keys belong to the admin who makes them, with their scopes, limit, team and expiry (spec 2 API key)', () => {
    const expiresAt = new Date(NOON + 60_000).toISOString();
    expect(make({ scopes: ['admin', 'read'], rateLimit: 7, teamId: 'team-a', expiresAt })).toMatchObject({
      ownerId: admin.id,
      kind: 'api-key',
      rateLimit: 7,
      teamId: 'team-a',
      expiresAt: NOON + 60_000,
      scopes: scopeSet(['read', 'admin']),
    });
    expect(make()).toMatchObject({ rateLimit: 300, teamId: null, expiresAt: null });
  });

  it('rate limit: a whole number of 1 to 100000 (contract 2, POST /apikeys)', () => {
    for (const rateLimit of [1, 100_000]) expect(make({ rateLimit }).rateLimit).toBe(rateLimit);
    for (const rateLimit of [0, -1, 100_001, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '7' as never]) {
      expect(refusalOf(() => make({ rateLimit })).code).toBe('invalid_rate_limit');
    }
  });

  it('a team nobody knows is unknown_team; null is none (contract 2, POST /apikeys)', () => {
    expect(refusalOf(() => make({ teamId: 'team-x' })).code).toBe('unknown_team');
    expect(refusalOf(() => make({ teamId: '' })).code).toBe('unknown_team');
    expect(make({ teamId: null }).teamId).toBeNull();
  });

  it('made with a key of a team, they keep the bond and take no other (contract 2, teamId)', () => {
    const bound = as(admin, { teamId: 'team-a', credential: KEY });
    expect(make({}, bound).teamId).toBe('team-a');
    expect(make({ teamId: null }, bound).teamId).toBe('team-a');
    expect(make({ teamId: 'team-a' }, bound).teamId).toBe('team-a');
    expect(refusalOf(() => make({ teamId: 'team-b' }, bound)).code).toBe('unknown_team');
  });

  it('an API key never has more than the credential that made it: scopes and expiry (spec 5.2)', () => {
    const limited = as(admin, { scopes: scopeSet(['read', 'sessions']), grantsUntil: NOON + 5000 });
    expect(refusalOf(() => make({ scopes: ['devices'] }, limited)).code).toBe('scope_exceeds_credential');
    expect(refusalOf(() => make({ expiresAt: null }, limited)).code).toBe('expiry_exceeds_credential');
    expect(make({}, limited).expiresAt).toBe(NOON + 5000);
  });
});

describe('making tokens and keys', () => {
  const make = (caller: Caller, turn = 0) =>
    turn % 2 === 0
      ? core.apiTokens.createProfileToken(caller, { name: 'x' })
      : core.apiTokens.createApiKey(caller, { name: 'x', scopes: ['read'] });
  const limited = { code: 'rate limit exceeded', fields: { category: 'change', retryAfter: 1 } };

  it('300 a minute with all credentials of an account together, refilled evenly (contract 4)', () => {
    const callers = [as(admin), as(admin, { credential: KEY }), as(admin, { credential: BEARER })];
    for (let turn = 0; turn < 300; turn += 1) make(callers[turn % 3] as Caller, turn);
    for (const caller of callers) {
      expect(refusalOf(() => make(caller))).toMatchObject(limited);
      expect(refusalOf(() => make(caller, 1))).toMatchObject(limited);
    }
    make(as(member));
    core.clock.advance(199);
    expect(refusalOf(() => make(as(admin)))).toMatchObject(limited);
    core.clock.advance(1);
    make(as(admin));
    expect(refusalOf(() => make(as(admin)))).toMatchObject(limited);
    core.clock.advance(3_600_000);
    for (let turn = 0; turn < 300; turn += 1) make(as(admin), 1);
    expect(refusalOf(() => make(as(admin)))).toMatchObject(limited);
  });

  it('a request that is then refused counts too (contract 4)', () => {
    for (let turn = 0; turn < 150; turn += 1) {
      expect(refusalOf(() => core.apiTokens.createProfileToken(as(member), { name: '' })).code).toBe(
        'invalid_name',
      );
      expect(
        refusalOf(() => core.apiTokens.createApiKey(as(member), { name: 'x', scopes: ['everything'] })).code,
      ).toBe('unknown_scope');
    }
    expect(refusalOf(() => make(as(member)))).toMatchObject(limited);
  });
});

describe('revoking', () => {
  it('own Profile tokens only; all else answers like an unknown one (contract 2, DELETE /profile/tokens)', () => {
    const own = core.addToken(member, { kind: 'profile' }).token;
    const key = core.addToken(member, { kind: 'api-key' }).token;
    const foreign = core.addToken(admin, { kind: 'profile' }).token;
    for (const id of [key.id, foreign.id, 'unknown']) {
      expect(refusalOf(() => core.apiTokens.revokeOwn(as(member), id))).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    }
    core.apiTokens.revokeOwn(as(member), own.id);
    expect(core.stores.apiTokens.listAll()).toHaveLength(2);
    expect(refusalOf(() => core.apiTokens.revokeOwn(as(member), own.id)).code).toBe('not_found');
    expect(trail().map(({ event, target }) => [event, target])).toEqual([['authn_token_revoked', own.id]]);
  });

  test.each([
    ['Admin', 'Member', true],
    ['Admin', 'Admin', false],
    ['Admin', 'Super admin', false],
    ['Admin', 'self', true],
    ['Super admin', 'Member', true],
    ['Super admin', 'Admin', true],
    ['Super admin', 'Super admin', true],
    ['Super admin', 'self', true],
  ] as const)('%s revokes a key of %s: %s (contract 2, DELETE /apikeys; 3.6)', (role, whose, allowed) => {
    const actor = role === 'Admin' ? admin : superAdmin;
    const owner = whose === 'self' ? actor : core.addUser('other', whose);
    for (const kind of ['profile', 'api-key'] as const) {
      const { token } = core.addToken(owner, { kind });
      if (allowed) core.apiTokens.revokeAny(as(actor), token.id);
      else expect(refusalOf(() => core.apiTokens.revokeAny(as(actor), token.id)).code).toBe('not_found');
      expect(core.stores.apiTokens.byId(token.id) === undefined).toBe(allowed);
    }
  });

  it('an unknown or revoked one is not found (contract 2, DELETE /apikeys)', () => {
    const { token } = core.addToken(member);
    core.apiTokens.revokeAny(as(admin), token.id);
    for (const id of [token.id, 'unknown']) {
      expect(refusalOf(() => core.apiTokens.revokeAny(as(superAdmin), id)).code).toBe('not_found');
    }
  });
});

describe('rotating the access key', () => {
  const rotate = (caller: Caller) => rotateAccessKey(caller, core);

  it('the new one stands, the old one is gone, and the trail has neither (spec 2 Access key)', () => {
    const before = member.accessKey;
    const after = rotate(as(member));
    expect(after).toMatch(/^svc_[0-9A-Za-z]{24}$/);
    expect(core.user(member.id).accessKey).toBe(after);
    expect(core.stores.accounts.byAccessKey(before)).toBeUndefined();
    expect(trail().at(-1)).toMatchObject({ event: 'authn_access_key_rotated', actor: member.id });
    for (const key of [before, after]) expect(JSON.stringify(trail())).not.toContain(key);
  });

  it('rotating the access key needs a dashboard sign-in or admin that still counts (spec 4, rotate)', () => {
    const none: Caller['credential'] = NO_CREDENTIAL;
    const cases: [Caller, boolean][] = [
      [as(member), true],
      [as(member, { credential: none }), true],
      [as(member, { credential: KEY }), false],
      [as(member, { credential: BEARER }), false],
      [as(member, { credential: { ...BEARER, fromSignIn: true } as Caller['credential'] }), false],
      [as(admin, { credential: KEY, scopes: scopeSet(['read', 'sessions', 'devices']) }), false],
      [as(admin, { credential: KEY }), true],
      [as(superAdmin, { credential: BEARER }), true],
    ];
    for (const [caller, allowed] of cases) {
      if (allowed) expect(rotate(caller)).toMatch(/^svc_/);
      else {
        expect(refusalOf(() => rotate(caller))).toMatchObject({
          code: 'rotation_needs_sign_in_or_admin',
          status: 403,
        });
      }
    }
  });
});
