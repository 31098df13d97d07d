import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { LOCAL_ORIGIN } from '../src/audit.ts';
import { Authenticator } from '../src/credentials/authenticate.ts';
import { bearerOf } from '../src/credentials/bearer.ts';
import type { PresentedCredentials } from '../src/credentials/presented.ts';
import type { CredentialScheme } from '../src/credentials/scheme.ts';
import { credentialSchemes } from '../src/credentials/schemes.ts';
import { Rejected, type Verification } from '../src/credentials/verification.ts';
import { type Account, credentialOfKind } from '../src/principal.ts';
import { scopeSet } from '../src/scopes.ts';
import { type Core, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { refusalOf } from '../src/testing/support.ts';

let here: Installation;
let core: Core;
let ana: Account;

beforeAll(async () => {
  here = await installation();
});
beforeEach(() => {
  core = setUpCore(here.ring, memoryStores());
  ana = core.addUser('ana', 'Admin');
});

describe('what a request presents', () => {
  const schemes = credentialSchemes({ stores: { apiTokens: {}, signIns: {} } } as never);
  const schemeOf = (kind: string) => schemes.find((scheme) => scheme.kind === kind) as CredentialScheme;
  const [pair, bearer, signIn] = [schemeOf('key'), schemeOf('bearer'), schemeOf('sign-in')];
  const read = (scheme: CredentialScheme, headers: PresentedCredentials['headers']) =>
    scheme.secretOf({ headers, cookie: undefined });

  it('the pair, the bearer token, the cookie, each from its own place (specification 5.1)', () => {
    const presented = {
      headers: { 'x-svc-access-key': 'svc_a', 'x-svc-token': 'svct_b', authorization: 'Bearer c.d.e' },
      cookie: 'f',
    };
    expect([pair, bearer, signIn].map((scheme) => scheme.secretOf(presented))).toEqual([
      'svct_b',
      'c.d.e',
      'f',
    ]);
    for (const scheme of [pair, bearer, signIn]) expect(read(scheme, {})).toBeUndefined();
  });

  it('an empty header is present, so that it fails instead of falling back (specification 5.1.1)', () => {
    expect(read(pair, { 'x-svc-access-key': '' })).toBe('');
    expect(read(pair, { 'x-svc-token': '' })).toBe('');
    expect(read(bearer, { authorization: 'Bearer ' })).toBe('');
    expect(signIn.secretOf({ headers: {}, cookie: '' })).toBe('');
  });

  it('a header sent twice fits nothing', () => {
    expect(read(pair, { 'x-svc-token': ['a', 'b'] })).toBe('a, b');
    expect(read(bearer, { authorization: ['Bearer a', 'Bearer b'] })).toBe('a, Bearer b');
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['Basic dXNlcjpwYXNz', undefined],
    ['Bearerabc', undefined],
    ['Token abc', undefined],
    ['abc', undefined],
    ['Bearer', ''],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer\tabc', 'abc'],
  ])('Authorization: %j carries the bearer token %j (specification 5.1)', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });

  it('only an access key and a bearer token lift the origin check (contract 1)', () => {
    const lifts = (headers: PresentedCredentials['headers'], cookie?: string) =>
      core.authenticator.liftsOriginCheck({ headers, cookie });
    expect(lifts({ 'x-svc-access-key': '' })).toBe(true);
    expect(lifts({ authorization: 'Bearer x' })).toBe(true);
    expect(lifts({ authorization: 'Basic x' })).toBe(false);
    expect(lifts({ 'x-svc-token': 'x' }, 'a cookie')).toBe(false);
  });
});

describe('which of them a WebDriver command may carry (specification 5.7.2)', () => {
  it('the cookie does not count, beside a bearer token or alone', async () => {
    const { cookie } = await core.signIn(ana);
    const command = (headers: PresentedCredentials['headers']) =>
      core.authenticator.authenticateCommand({ headers, cookie }, LOCAL_ORIGIN);
    expect(command({})).toBeUndefined();
    const { token } = await core.issue(await core.verify(core.addToken(ana).pair));
    expect(await command({ authorization: `Bearer ${token}` })).toMatchObject({ account: { id: ana.id } });
  });

  it('the session token does not count', () => {
    const presented = { headers: {}, cookie: undefined, sessionToken: 'x' };
    expect(core.authenticator.authenticateCommand(presented, LOCAL_ORIGIN)).toBeUndefined();
  });
});

/** A new kind of credential. Besides this class, it needs only an entry in the list of schemes. */
class BadgeScheme implements CredentialScheme {
  readonly kind = 'badge';
  readonly publicCode = 'invalid token';
  readonly onCommands = true;
  readonly headers = ['x-badge'];
  readonly tracksAddresses = true;
  readonly #owners: ReadonlyMap<string, string>;

  constructor(owners: ReadonlyMap<string, string>) {
    this.#owners = owners;
  }

  secretOf({ headers }: PresentedCredentials): string | undefined {
    return headers['x-badge'] as string | undefined;
  }

  verify(_presented: PresentedCredentials, badge: string, _digest: string, now: number): Verification {
    const accountId = this.#owners.get(badge);
    if (accountId === undefined) return new Rejected('nobody has this badge');
    return {
      accountId,
      credential: credentialOfKind('badge', badge, {}),
      granted: scopeSet(['read', 'admin']),
      expiresAt: now + 60_000,
      grantsUntil: now + 60_000,
      teamId: null,
      usedAt: null,
    };
  }

  stillGood({ credential }: { credential: { id: string } }): boolean {
    return this.#owners.has(credential.id);
  }
}

describe('a scheme more is a file and an entry in the list', () => {
  let owners: Map<string, string>;
  let authenticator: Authenticator;
  const shown = (headers: PresentedCredentials['headers']) => ({ headers, cookie: undefined });
  const badge = (id = 'b1') =>
    authenticator.authenticate(shown({ 'x-badge': id }), { ...LOCAL_ORIGIN, address: '10.0.0.1' });

  beforeEach(() => {
    owners = new Map([['b1', ana.id]]);
    const { stores, clock, audit, limiter, signer } = core;
    authenticator = new Authenticator({
      stores,
      clock,
      audit,
      limiter,
      schemes: [...credentialSchemes({ stores, signer, signInTtlMs: 1000 }), new BadgeScheme(owners)],
      signer,
    });
  });

  it('a badge is accepted, refused with its own reason, cached and checked again', () => {
    const caller = badge();
    expect(caller).toMatchObject({ account: { id: ana.id }, credential: { kind: 'badge', id: 'b1' } });
    expect(refusalOf(() => badge('b2'))).toMatchObject({
      code: 'invalid token',
      reason: 'nobody has this badge',
    });
    expect(badge()).toMatchObject({ account: { id: ana.id } });
    expect(authenticator.stillGood(caller as never)).toBe(true);
    owners.clear();
    expect(authenticator.stillGood(caller as never)).toBe(false);
  });

  it('a stronger credential decides before a badge', () => {
    const both = shown({ 'x-badge': 'b1', 'x-svc-token': 'svct_x' });
    expect(refusalOf(() => authenticator.authenticate(both, LOCAL_ORIGIN)).code).toBe('invalid credentials');
  });

  it('a badge cannot skip the steps that all schemes share: account, status, role, expiry, audit', () => {
    badge();
    core.audit.flush();
    expect(core.stores.audit.page(null, 1)[0]).toMatchObject({
      event: 'authn_token_used',
      target: 'b1',
      reason: 'badge',
    });
    core.arrange.accounts.update(ana.id, { role: 'Member' });
    expect(badge()).toMatchObject({ scopes: scopeSet(['read']) });
    core.arrange.accounts.update(ana.id, { status: 'Inactive' });
    expect(refusalOf(() => badge())).toMatchObject({ code: 'invalid token', reason: 'account inactive' });
    core.arrange.accounts.remove(ana.id);
    expect(refusalOf(() => badge())).toMatchObject({ code: 'invalid token', reason: 'account deleted' });
  });

  it('commands accept it when it says so', () => {
    expect(authenticator.authenticateCommand(shown({ 'x-badge': 'b1' }), LOCAL_ORIGIN)).toMatchObject({
      account: { id: ana.id },
    });
    expect(authenticator.commandHeaders.names).toContain('x-badge');
  });

  it('a badge is removed from commands at the gate (spec 5.7.3)', () => {
    const sent = { host: 'h', 'x-badge': 'b1', authorization: 'Basic dTpw' };
    const { 'x-badge': _badge, ...others } = sent;
    expect(authenticator.commandHeaders.without(sent)).toEqual(others);
    expect(authenticator.commandHeaders.without(others)).toBe(others);
  });
});
