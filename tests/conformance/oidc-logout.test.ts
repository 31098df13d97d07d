import { beforeAll, describe, expect, it, test } from 'vitest';
import { call } from './support/call.ts';
import { OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { ScriptedProvider } from './support/scripted-provider.ts';
import { type Credentials, targets, type World } from './support/world.ts';

const PATH = '/svc/oidc/backchannel-logout';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(targets)('back-channel logout on $name', ({ start }) => {
  let provider: ScriptedProvider;
  let world: World;
  let people = 0;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await startWithProvider(start, {
      ...provider.env,
      SVC_OIDC_TEAMS: 'lab=Lab',
      SVC_OIDC_SIGN_UP: 'mapped',
    });
  });

  const newPerson = () => {
    people += 1;
    return { sub: `subject-${people}`, email: `person-of-provider-${people}@lab.test`, groups: ['lab'] };
  };
  /**
   * Signs a person in through the provider, with the given session id.
   * @returns the credentials of the sign-in and of a bearer token minted from it
   */
  const signedIn = async (person: object, sid?: string) => {
    const browser = new OidcBrowser(world);
    await browser.signIn(provider, { ...person, sid });
    return { as: browser.as, bearer: await world.bearer(browser.as) };
  };
  const logout = async (token: string, headers: Record<string, string> = FORM) =>
    call(world.url, 'POST', PATH, { headers: { origin: null, ...headers }, body: `logout_token=${token}` });
  const works = async (as: Credentials) => (await world.asks(as)) === '200';

  it('a logout by sid ends the sign-in of that session and the bearers minted from it, and no others (contract 10.1)', async () => {
    const person = newPerson();
    const [ended, kept] = [await signedIn(person, 's-1'), await signedIn(person, 's-2')];
    const answer = await logout(await provider.logoutToken({ sid: 's-1' }));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect([await works(ended.as), await works(ended.bearer)]).toEqual([false, false]);
    expect([await works(kept.as), await works(kept.bearer)]).toEqual([true, true]);
  });

  it('a logout by sub ends every sign-in made through the provider, and no other (contract 10.1)', async () => {
    const local = await world.person();
    const person = { ...newPerson(), email: local.email };
    const linking = new OidcBrowser(world);
    await linking.signIn(provider, person);
    await linking.post('/svc/api/auth/login', { email: local.email, password: local.password });
    const byPassword = { as: linking.as, bearer: await world.bearer(linking.as) };
    const sessions = [await signedIn(person, 's-3'), await signedIn(person)];
    const stranger = await signedIn(newPerson(), 's-4');
    expect((await logout(await provider.logoutToken({ sub: person.sub }))).status).toBe(200);
    for (const { as, bearer } of sessions)
      expect([await works(as), await works(bearer)]).toEqual([false, false]);
    for (const { as, bearer } of [byPassword, stranger])
      expect([await works(as), await works(bearer)]).toEqual([true, true]);
  });

  it('back-channel logout ends bearers of a sign-in that has ended already (contract 10.1)', async () => {
    const person = newPerson();
    const { as, bearer } = await signedIn(person, 's-5');
    await world.api('POST', '/auth/logout', { as });
    expect(await works(bearer)).toBe(true);
    expect((await logout(await provider.logoutToken({ sid: 's-5' }))).status).toBe(200);
    expect(await works(bearer)).toBe(false);
  });

  it('a logout that names a session and a person ends only what fits both (contract 10.1)', async () => {
    const person = newPerson();
    const { as } = await signedIn(person, 's-6');
    expect((await logout(await provider.logoutToken({ sid: 's-6', sub: 'somebody else' }))).status).toBe(200);
    expect(await works(as)).toBe(true);
    expect((await logout(await provider.logoutToken({ sid: 's-6', sub: person.sub }))).status).toBe(200);
    expect(await works(as)).toBe(false);
  });

  test.for<[string, Record<string, string>]>([
    ['logout+jwt', { typ: 'logout+jwt' }],
    ['JWT', { typ: 'JWT' }],
    ['no type', {}],
  ])('back-channel logout takes a token with the type %s (contract 10.1)', async ([, header]) => {
    expect((await logout(await provider.logoutToken({ sub: 'x' }, header))).status).toBe(200);
  });

  it('a provider that has just changed its key signs people in and out (contract 10.1)', async () => {
    const person = newPerson();
    const before = await signedIn(person);
    expect((await logout(await provider.logoutToken({ sub: newPerson().sub }))).status).toBe(200);
    // The second change happens less than a minute after the keys were fetched because of the first change.
    for (const _change of ['first', 'second']) {
      await provider.changeKey();
      await signedIn(newPerson());
    }
    expect((await logout(await provider.logoutToken({ sub: person.sub }))).status).toBe(200);
    expect(await works(before.as)).toBe(false);
  });

  it('back-channel logout takes a token without an end (contract 10.1)', async () => {
    expect((await logout(await provider.logoutToken({ sub: 'x', exp: undefined }))).status).toBe(200);
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  test.for<[string, () => Promise<string> | string]>([
    ['no token', () => ''],
    ['no JWT', () => 'x.y.z'],
    ['another type', () => provider.logoutToken({ sub: 'x' }, { typ: 'at+jwt' })],
    ['another issuer', () => provider.logoutToken({ sub: 'x', iss: 'https://other.test' })],
    ['another audience', () => provider.logoutToken({ sub: 'x', aud: 'other' })],
    ['no issue time', () => provider.logoutToken({ sub: 'x', iat: undefined })],
    ['an issue time in the future', () => provider.logoutToken({ sub: 'x', iat: seconds() + 300 })],
    [
      'an end in the past',
      () => provider.logoutToken({ sub: 'x', iat: seconds() - 600, exp: seconds() - 300 }),
    ],
    [
      'no end and a great age',
      () => provider.logoutToken({ sub: 'x', iat: seconds() - 3600, exp: undefined }),
    ],
    ['a nonce', () => provider.logoutToken({ sub: 'x', nonce: 'n' })],
    ['no events', () => provider.logoutToken({ sub: 'x', events: undefined })],
    ['another event', () => provider.logoutToken({ sub: 'x', events: { other: {} } })],
    ['an event that is no object', () => provider.logoutToken({ sub: 'x', events: { [EVENT]: true } })],
    ['no id', () => provider.logoutToken({ sub: 'x', jti: undefined })],
    ['neither sid nor sub', () => provider.logoutToken({})],
    ['a sub that is no text', () => provider.logoutToken({ sub: 7, sid: 's' })],
    ['an unknown key', () => provider.logoutToken({ sub: 'x' }, { typ: 'logout+jwt', kid: 'unknown' })],
  ])('back-channel logout refuses %s with 400 (contract 10.1)', async ([, token]) => {
    const answer = await logout(await token());
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('back-channel logout refuses a token that was used before, a changed one, and JSON (contract 10.1)', async () => {
    const token = await provider.logoutToken({ sub: 'x' });
    const both = await Promise.all([logout(token), logout(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const other = await provider.logoutToken({ sub: 'x' });
    expect((await logout(`${other.slice(0, -8)}AAAAAAAA`)).status).toBe(400);
    expect((await logout(other, { 'content-type': 'application/json' })).status).toBe(400);
    expect((await logout(other)).status).toBe(200);
  });

  it('back-channel logout writes to the audit trail what ended (contract 10.1)', async () => {
    const { as } = await signedIn(newPerson(), 's-7');
    await logout(await provider.logoutToken({ sid: 's-7' }));
    expect(await works(as)).toBe(false);
    const { items } = await world.ok('GET', '/audit?limit=20', { as: world.root.as });
    expect(items).toContainEqual(
      expect.objectContaining({ event: 'authn_logout', reason: 'signed out at the provider' }),
    );
  });
});
