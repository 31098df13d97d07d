import { BEARER_AUDIENCES, ROLES, SCOPES } from '@svc/contract';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { Account } from '../src/principal.ts';
import { effectiveScopes, missing, NO_SCOPES, roleAllowance, scopeList, scopeSet } from '../src/scopes.ts';
import {
  type Core,
  credentialOf,
  KINDS,
  NOTHING,
  type Shown,
  setUpCore,
  WORD,
  wordFor,
} from '../src/testing/core.ts';
import { base64url, CLAIMS, type Installation, installation, sign } from '../src/testing/signing.ts';
import { anyRole, anyScopeSet, NOON, refusalOf, refusalOfAsync } from '../src/testing/support.ts';
import { TokenSigner } from '../src/tokens/signer.ts';

let here: Installation;
let core: Core;
let user: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpCore(here.ring, memoryStores());
  user = core.addUser('ana', 'Admin');
});

describe.each(KINDS)('account behind a %s', (kind) => {
  it('Inactive: refused on the next request, good again once Active (spec 5.1.2)', async () => {
    const presented = await credentialOf(core, user, kind);
    await core.verify(presented);
    core.arrange.accounts.update(user.id, { status: 'Inactive' });
    expect(await wordFor(core, presented)).toBe(WORD[kind]);
    core.arrange.accounts.update(user.id, { status: 'Active' });
    expect((await core.verify(presented)).account.id).toBe(user.id);
  });

  it('deleted: refused on the next request (spec 5.1.2)', async () => {
    const presented = await credentialOf(core, user, kind);
    await core.verify(presented);
    core.arrange.accounts.remove(user.id);
    expect(await wordFor(core, presented)).toBe(WORD[kind]);
  });

  it('demoted: admin counts for nothing on the next request (contract 3.2)', async () => {
    const presented = await credentialOf(core, user, kind);
    expect(scopeList((await core.verify(presented)).scopes)).toEqual(SCOPES);
    core.arrange.accounts.update(user.id, { role: 'Member' });
    const caller = await core.verify(presented);
    expect(caller.account.role).toBe('Member');
    expect(scopeList(caller.scopes)).toEqual(['read', 'sessions', 'devices']);
  });

  it('a credential never counts for more than granted and the role now, whatever the role becomes (contract 3.2)', async () => {
    const presented = await credentialOf(core, user, kind);
    await fc.assert(
      fc.asyncProperty(anyRole, async (role) => {
        core.arrange.accounts.update(user.id, { role });
        const { scopes } = await core.verify(presented);
        expect(missing(scopes, roleAllowance(role))).toBe(NO_SCOPES);
      }),
      { numRuns: 10 },
    );
  });
});

test.each(KINDS)(
  'a bearer that a %s mints has the same claims for the server that made it and for one started since (contract 4)',
  async (kind) => {
    const source = await core.verify(await credentialOf(core, user, kind));
    const since = new TokenSigner(here.ring, core.clock, core.random, 'svc');
    for (const audience of BEARER_AUDIENCES) {
      const { token, sessionToken = token } = await core.issue({ ...source, teamId: 'team-1' }, { audience });
      for (const each of [token, sessionToken]) {
        const claims = core.signer.verify(each, [...BEARER_AUDIENCES, 'svc-session']);
        expect(claims).toMatchObject({ sub: user.id, team: 'team-1' });
        expect(since.verify(each, [...BEARER_AUDIENCES, 'svc-session'])).toStrictEqual(claims);
      }
    }
  },
);

describe('key pairs', () => {
  it('effective scopes are those of the key within the role, for all roles and sets (contract 3.2)', async () => {
    const owners = Object.fromEntries(ROLES.map((role) => [role, core.addUser(role, role)]));
    await fc.assert(
      fc.asyncProperty(anyRole, anyScopeSet, async (role, scopes) => {
        const { pair } = core.addToken(owners[role] as Account, { scopes });
        expect((await core.verify(pair)).scopes).toBe(effectiveScopes(scopes, role));
      }),
    );
  });

  it('revoked: refused at once (spec 3 Token)', () => {
    const { pair, token } = core.addToken(user);
    core.authenticator.authenticate(pair);
    core.arrange.apiTokens.revoke(token.id);
    expect(refusalOf(() => core.authenticator.authenticate(pair)).code).toBe('invalid credentials');
  });

  it('expired: good to the last millisecond, refused at expiresAt (spec 3 Token)', () => {
    const { pair } = core.addToken(user, { expiresAt: NOON + 5000 });
    core.clock.set(NOON + 4999);
    expect(core.authenticator.authenticate(pair)).toMatchObject({
      expiresAt: NOON + 5000,
      grantsUntil: NOON + 5000,
    });
    core.clock.set(NOON + 5000);
    expect(refusalOf(() => core.authenticator.authenticate(pair)).code).toBe('invalid credentials');
  });

  it('rotation: the old key stops at once, tokens work with the new one (spec 2 Access key)', async () => {
    const { secret, pair } = core.addToken(user);
    core.arrange.accounts.update(user.id, { accessKey: 'svc_111111111111111111111111' });
    expect(refusalOf(() => core.authenticator.authenticate(pair)).code).toBe('invalid credentials');
    expect((await core.verify(core.pair(user, secret))).account.id).toBe(user.id);
  });

  it('notes the use, and not that of a failing pair (spec 2 Token, last used)', () => {
    const { pair, token } = core.addToken(user);
    core.clock.advance(1234);
    refusalOf(() => core.authenticator.authenticate({ ...pair, accessKey: 'svc_x' }));
    expect(core.stores.apiTokens.byId(token.id)?.lastUsedAt).toBeNull();
    core.authenticator.authenticate(pair);
    expect(core.stores.apiTokens.byId(token.id)?.lastUsedAt).toBe(NOON + 1234);
  });
});

describe('bearer tokens', () => {
  it('revoking the key does not stop a bearer token; it works until it expires (spec 5.3.3)', async () => {
    const { pair, token } = core.addToken(user);
    const { bearer } = await core.issue(await core.verify(pair));
    core.arrange.apiTokens.revoke(token.id);
    core.clock.advance(3_600_000 - 1);
    expect((await core.verify(bearer)).account.id).toBe(user.id);
    core.clock.advance(1);
    expect(await wordFor(core, bearer)).toBe('invalid token');
  });

  it('one that began at a sign-in ends with the sign-ins of a reset, one of a key does not (spec 5.10.4)', async () => {
    const ofSignIn = await credentialOf(core, user, 'bearer of a sign-in');
    const ofKey = await credentialOf(core, user, 'bearer of a key');
    const second = (await core.issue(await core.verify(ofSignIn))).bearer;
    for (const bearer of [ofSignIn, ofKey, second]) await core.verify(bearer);
    core.arrange.accounts.update(user.id, { signInEpoch: user.signInEpoch + 1 });
    expect(await wordFor(core, ofSignIn)).toBe('invalid token');
    expect(await wordFor(core, second)).toBe('invalid token');
    expect((await core.verify(ofKey)).account.id).toBe(user.id);
  });

  it('a session token or a ticket is no bearer token (contract 4)', async () => {
    const { sessionToken } = await core.issue(await core.verify(core.addToken(user).pair), {
      audience: 'svc-mcp',
    });
    expect(await wordFor(core, { ...NOTHING, bearer: sessionToken })).toBe('invalid token');
    for (const aud of [
      'svc-stream',
      'svc-app-download',
      'svc-events',
      'svc-node',
      'svc-node-create',
    ] as const) {
      const { token } = await core.signer.mint({
        sub: user.id,
        aud,
        scopes: ['admin'],
        lifetime: 60,
        until: null,
      });
      expect(await wordFor(core, { ...NOTHING, bearer: token }), aud).toBe('invalid token');
      expect((await refusalOfAsync(() => core.authenticator.authenticateSessionToken(token))).code).toBe(
        'invalid token',
      );
    }
  });

  it('every hostile token gets the same public word and nothing else (contract 4)', async () => {
    const foreign = await installation();
    const mine = { ...CLAIMS, sub: user.id, scopes: ['admin'] };
    const hostile = [
      ...['', '.', '..', '...', 'a.b.c', 'x'.repeat(10_000), '\u0000', `${base64url({ alg: 'none' })}.e30.`],
      `${base64url({ alg: 'none', typ: 'at+jwt', kid: here.kid })}.${base64url(mine)}.`,
      await sign(foreign, mine),
      await sign(foreign, mine, { kid: here.kid }),
      await sign(foreign, mine, { kid: here.kid, jwk: foreign.ring.publicKeys(NOON)[0] }),
      await sign(here, mine, { typ: 'JWT' }),
      await sign(here, { ...mine, iss: 'evil' }),
      await sign(here, { ...mine, aud: 'svc-session' }),
      await sign(here, { ...mine, aud: ['svc-rest'] }),
      await sign(here, { ...mine, exp: NOON / 1000 }),
      await sign(here, { ...mine, sub: 'nobody' }),
      await sign(here, '[]'),
    ];
    for (const bearer of hostile) {
      const refusal = await refusalOfAsync(() => core.verify({ ...NOTHING, bearer }));
      expect(refusal).toMatchObject({ code: 'invalid token', status: 401, fields: {} });
    }
    expect((await core.verify({ ...NOTHING, bearer: await sign(here, mine) })).account.id).toBe(user.id);
  });

  it('an unknown scope in a claim grants nothing', async () => {
    const token = await sign(here, { ...CLAIMS, sub: user.id, scopes: ['root', 'read'] });
    expect((await core.verify({ ...NOTHING, bearer: token })).scopes).toBe(scopeSet(['read']));
  });
});

describe('session tokens', () => {
  const sessionTokenOf = async (presented: Shown): Promise<string> =>
    (await core.issue(await core.verify(presented), { audience: 'svc-mcp' })).sessionToken as string;

  it('a session token says who asked, and ends with its account (spec 2 Session token)', async () => {
    const token = await sessionTokenOf(core.addToken(user).pair);
    const caller = await core.authenticator.authenticateSessionToken(token);
    expect(caller).toMatchObject({
      account: { id: user.id },
      credential: { kind: 'session-token' },
      expiresAt: NOON + 86_400_000,
    });
    expect(scopeList(caller.scopes)).toEqual(['sessions', 'admin']);
    core.arrange.accounts.update(user.id, { role: 'Member' });
    expect(scopeList((await core.authenticator.authenticateSessionToken(token)).scopes)).toEqual([
      'sessions',
    ]);
    core.arrange.accounts.update(user.id, { status: 'Inactive' });
    expect((await refusalOfAsync(() => core.authenticator.authenticateSessionToken(token))).code).toBe(
      'invalid token',
    );
  });

  it('one of 2.14 proves its user and carries no scope (spec 2 Session token)', async () => {
    const claims = { ...CLAIMS, sub: user.id, aud: 'svc-session', scopes: undefined };
    const old = await sign(here, claims, { typ: 'session+jwt' });
    expect((await core.authenticator.authenticateSessionToken(old)).scopes).toBe(NO_SCOPES);
  });

  it('a bearer token is no session token, and an expired one is refused (contract 4)', async () => {
    const { bearer } = await core.issue(await core.verify(core.addToken(user).pair));
    const refused = (token: string) =>
      refusalOfAsync(() => core.authenticator.authenticateSessionToken(token));
    expect((await refused(bearer.bearer as string)).code).toBe('invalid token');
    const token = await sessionTokenOf(core.addToken(user).pair);
    core.clock.advance(86_400_000);
    expect((await refused(token)).code).toBe('invalid token');
  });

  it('one that began at a sign-in ends with the sign-ins of a reset (spec 5.10.4)', async () => {
    const token = await sessionTokenOf(await core.signIn(user));
    expect((await core.authenticator.authenticateSessionToken(token)).account.id).toBe(user.id);
    core.arrange.accounts.update(user.id, { signInEpoch: 1 });
    expect((await refusalOfAsync(() => core.authenticator.authenticateSessionToken(token))).reason).toBe(
      'credential replaced',
    );
  });
});
