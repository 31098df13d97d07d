import { createHmac } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { call } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { cookiesOf, OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { CLIENT_SECRET, ScriptedProvider, unsigned } from './support/scripted-provider.ts';
import { type Credentials, targets, type World } from './support/world.ts';

const PROBLEM = '/svc/sign-in?problem=';

describe.each(targets)('sign-in through a provider on $name', ({ start }) => {
  let provider: ScriptedProvider;
  let world: World;
  let people = 0;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await startWithProvider(start, {
      ...provider.env,
      SVC_OIDC_ROLES: 'lab-admins=Admin,lab=Member',
      SVC_OIDC_TEAMS: 'qa=QA,mobile=Mobile,gone=No such team',
      SVC_OIDC_SIGN_UP: 'mapped',
    });
  });
  beforeEach(() => {
    provider.tricks = {};
  });

  const newPerson = (claims: object = {}) => {
    people += 1;
    const email = `from-provider-${people}@lab.test`;
    return {
      sub: `subject-${people}`,
      email,
      email_verified: true,
      name: 'Grace',
      groups: ['lab'],
      ...claims,
    };
  };
  const browser = () => new OidcBrowser(world);
  const me = (of: OidcBrowser) => world.ok('GET', '/auth/me', { as: of.as });
  const team = async (name: string) => {
    const known = (await world.ok('GET', '/teams', { as: world.root.as })) as { id: string; name: string }[];
    const found = known.find((each) => each.name === name);
    return found ?? (await world.ok('POST', '/teams', { as: world.root.as, json: { name } }));
  };
  const reasons = async () => {
    const { items } = await world.ok('GET', '/audit?limit=50', { as: world.root.as });
    return (items as { event: string; reason: string | null }[]).map(
      ({ event, reason }) => `${event} ${reason}`,
    );
  };

  it('sign-in through a provider shows its name on the sign-in page (contract 10)', async () => {
    const { body } = await world.api('GET', '/auth/options');
    expect(body).toMatchObject({ oidc: { name: 'Lab SSO' }, passwordSignIn: true });
  });

  it('sign-in through a provider starts with code, PKCE S256, state and nonce, and the transaction in a cookie (contract 10.1)', async () => {
    const started = await browser().get('/svc/api/auth/oidc/start?return=/svc/sessions');
    expect(started.status).toBe(302);
    const location = new URL(started.headers.location ?? '');
    expect(`${location.origin}${location.pathname}`).toBe(`${provider.url}/authorize`);
    const asked = Object.fromEntries(location.searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'openid profile email',
      redirect_uri: `${world.url}/svc/api/auth/oidc/callback`,
    });
    const [cookie, ...others] = cookiesOf(started);
    expect(others).toEqual([]);
    expect(cookie?.name).toBe('svc_oidc_transaction');
    expect([...(cookie?.attributes ?? [])].sort()).toEqual([
      'httponly',
      'max-age=600',
      'path=/svc/api/auth/oidc',
      'samesite=lax',
    ]);
    for (const secret of [asked.state, asked.nonce]) expect(cookie?.value).not.toContain(secret);
  });

  it('sign-in through a provider ends on the asked page with the usual cookie, and the sign-in is fresh (contract 10, 10.1)', async () => {
    const person = newPerson({ groups: ['lab', 'lab-admins', 'others'] });
    const own = browser();
    const back = await own.back(provider.authorize(await own.start('/svc/sessions?status=failed'), person));
    expect(back.status).toBe(302);
    expect(back.headers.location).toBe('/svc/sessions?status=failed');
    const signIn = cookiesOf(back).find(({ name }) => name === 'svc_dashboard_session');
    expect(signIn?.attributes).toEqual(expect.arrayContaining(['httponly', 'samesite=strict', 'path=/']));
    const transaction = cookiesOf(back).find(({ name }) => name === 'svc_oidc_transaction');
    expect(transaction).toMatchObject({ value: '', attributes: expect.arrayContaining(['max-age=0']) });
    expect(await me(own)).toMatchObject({
      email: person.email,
      role: 'Admin',
      kind: 'sign-in',
      name: 'Grace',
    });
    expect(await reasons()).toContain('authn_login_success provider');
  });

  it('sign-in through a provider is as fresh as the proof at the provider, and with fresh=1 the provider has to ask again (contract 10)', async () => {
    const now = Math.floor(Date.now() / 1000);
    const isFresh = async (of: OidcBrowser) => {
      const answer = await of.post('/svc/api/profile/passkeys/options', {});
      return answer.status === 200 ? 'fresh' : answer.body.error;
    };
    const person = newPerson();
    for (const [auth_time, expected] of [
      [now, 'fresh'],
      [now - 3 * 86_400, 'fresh_sign_in_required'],
      [undefined, 'fresh_sign_in_required'],
    ] as const) {
      const own = browser();
      await own.signIn(provider, { ...person, auth_time });
      expect(await isFresh(own), String(auth_time)).toBe(expected);
    }
    for (const [auth_time, expected] of [
      [now + 1, '/svc/profile'],
      [now - 120, `${PROBLEM}oidc_failed`],
      [undefined, `${PROBLEM}oidc_failed`],
    ] as const) {
      const own = browser();
      const { headers } = await own.get('/svc/api/auth/oidc/start?fresh=1&return=/svc/profile');
      const address = headers.location ?? '';
      expect(new URL(address).searchParams.get('max_age')).toBe('0');
      const back = await own.back(provider.authorize(address, { ...person, auth_time }));
      expect(back.headers.location, String(auth_time)).toBe(expected);
    }
  });

  it('sign-in through a provider makes no account for an address with characters that stand for others (contract 10.1)', async () => {
    for (const email of ['\u212Aate@lab.test', '\uFF4Bate@lab.test']) {
      const person = newPerson({ email });
      expect(await browser().signIn(provider, person), email).toBe(`${PROBLEM}oidc_no_account`);
    }
  });

  it('sign-in through a provider does not return to the approval of a terminal, unless a page of the server asks (contract 10)', async () => {
    const page = '/svc/device?user_code=BCDF-GHJK';
    expect(await browser().signIn(provider, newPerson(), page)).toBe('/svc/devices');
    expect(await browser().signIn(provider, newPerson(), '/svc/device')).toBe('/svc/devices');
    const own = browser();
    const { headers } = await call(
      world.url,
      'GET',
      `/svc/api/auth/oidc/start?return=${encodeURIComponent(page)}`,
      { headers: { origin: null, 'sec-fetch-site': 'same-origin' } },
    );
    const transaction = (headers['set-cookie'] ?? [])[0]?.split(';', 1)[0]?.split('=')[1] ?? '';
    own.cookies.set('svc_oidc_transaction', transaction);
    const back = await own.back(provider.authorize(headers.location ?? '', newPerson()));
    expect(back.headers.location).toBe(page);
  });

  test.for([
    '//evil.test/svc/',
    'https://evil.test/svc/devices',
    '/\\evil.test',
    '/svc/../evil',
    '/svc//evil.test',
    '/svc/%2f%2fevil.test',
    '/svc/\t/evil',
    '/svc/devices\r\nx: y',
    '/svcx/devices',
    'svc/devices',
    '/svc/api/auth/logout',
    '/svc/sign-in',
    'javascript:alert(1)',
    '',
  ])('sign-in through a provider ignores the return address %j (contract 10.1)', async (address) => {
    expect(await browser().signIn(provider, newPerson(), address)).toBe('/svc/devices');
  });

  it('sign-in through a provider takes a callback once, also for two at the same time (contract 10.1)', async () => {
    const own = browser();
    const query = provider.authorize(await own.start(), newPerson());
    const twin = browser();
    for (const [name, value] of own.cookies) twin.cookies.set(name, value);
    const places = await Promise.all([own.back(query), twin.back(query)]);
    const sorted = places.map(({ headers }) => headers.location).sort();
    expect(sorted).toEqual(['/svc/devices', `${PROBLEM}oidc_failed`]);
  });

  it('sign-in through a provider refuses a callback of another browser, another state, or no transaction (contract 10.1)', async () => {
    const own = browser();
    const query = provider.authorize(await own.start(), newPerson());
    expect((await browser().back(query)).headers.location).toBe(`${PROBLEM}oidc_failed`);
    const other = browser();
    await other.start();
    expect((await other.back(query)).headers.location).toBe(`${PROBLEM}oidc_failed`);
    const swapped = browser();
    const theirs = provider.authorize(await swapped.start(), newPerson());
    theirs.set('code', query.get('code') ?? '');
    expect((await swapped.back(theirs)).headers.location).toBe(`${PROBLEM}oidc_failed`);
    expect(swapped.cookies.has('svc_dashboard_session')).toBe(false);
  });

  test.for<[string, (query: URLSearchParams) => void]>([
    ['no state', (query) => query.delete('state')],
    ['two states', (query) => query.append('state', 'x')],
    ['another state', (query) => query.set('state', 'x')],
    ['no code', (query) => query.delete('code')],
    ['no iss', (query) => query.delete('iss')],
    ['another iss', (query) => query.set('iss', 'https://other.test')],
    ['an error', (query) => query.set('error', 'access_denied')],
  ])('sign-in through a provider refuses a callback with %s (contract 10.1)', async ([, spoil]) => {
    const own = browser();
    const query = provider.authorize(await own.start(), newPerson());
    spoil(query);
    expect((await own.back(query)).headers.location).toBe(`${PROBLEM}oidc_failed`);
    expect(own.cookies.has('svc_dashboard_session')).toBe(false);
  });

  const now = () => Math.floor(Date.now() / 1000);
  test.for<[string, () => Record<string, unknown>]>([
    ['another issuer', () => ({ iss: 'https://other.test' })],
    ['the issuer with a slash', () => ({ iss: `${provider.url}/` })],
    ['another audience', () => ({ aud: 'other' })],
    ['a further audience', () => ({ aud: ['svc-lab', 'other'] })],
    ['a further audience and azp', () => ({ aud: ['svc-lab', 'other'], azp: 'svc-lab' })],
    ['no audience', () => ({ aud: undefined })],
    ['another azp', () => ({ azp: 'other' })],
    ['another nonce', () => ({ nonce: 'x' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject that is no text', () => ({ sub: 7 })],
    ['an end in the past', () => ({ iat: now() - 600, exp: now() - 60 })],
    ['no end', () => ({ exp: undefined })],
  ])('sign-in through a provider refuses an ID token with %s (contract 10.1)', async ([, claims]) => {
    provider.tricks = { claims: claims() };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_failed`);
  });

  const hs256 = (secret: string) => (claims: object) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256', kid: 'key-1' })}.${part(claims)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  test.for<[string, (claims: object) => string | Promise<string>]>([
    ['not signed', (claims) => unsigned({ ...claims })],
    ['signed with the client secret', hs256(CLIENT_SECRET)],
    ['signed with the public key as a secret', (claims) => hs256(JSON.stringify(provider.publicJwk))(claims)],
    [
      'signed with another key',
      async (claims) => {
        const { privateKey } = await generateKeyPair('RS256');
        return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(privateKey);
      },
    ],
    ['no token at all', () => 'not.a.token'],
  ])('sign-in through a provider refuses an ID token that is %s (contract 10.1)', async ([, sign]) => {
    provider.tricks = {
      sign,
      document: { id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'] },
    };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_failed`);
  });

  it('sign-in through a provider refuses answers that are too large or that redirect, and hosts beside the issuer (contract 10.1)', async () => {
    const huge = 'x'.repeat(2 * 1024 * 1024);
    provider.tricks = { instead: { '/token': (_req, res) => void res.end(huge) } };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_failed`);
    provider.tricks = {
      instead: {
        '/token': (_req, res) => void res.writeHead(307, { location: `${provider.url}/elsewhere` }).end(),
      },
    };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_failed`);
    expect(provider.requested).not.toContain('/elsewhere');
  });

  it('sign-in through a provider says that the provider is unavailable when it fails (contract 10.1)', async () => {
    provider.tricks = { instead: { '/token': (_req, res) => void res.writeHead(503).end() } };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_unavailable`);
    provider.tricks = { instead: { '/token': (req) => void req.socket.destroy() } };
    expect(await browser().signIn(provider, newPerson())).toBe(`${PROBLEM}oidc_unavailable`);
  });

  it('sign-in through a provider reads e-mail and groups from the userinfo endpoint if the ID token lacks them (contract 10.1)', async () => {
    const { email, groups, email_verified, ...person } = newPerson();
    provider.tricks = { userInfo: { email, groups, email_verified } };
    const own = browser();
    expect(await own.signIn(provider, person)).toBe('/svc/devices');
    expect(await me(own)).toMatchObject({ email, role: 'Member' });
    provider.tricks = { userInfo: { email, groups, sub: 'somebody else' } };
    expect(await browser().signIn(provider, person)).toBe(`${PROBLEM}oidc_failed`);
  });

  it('sign-in through a provider sets role and named teams at each sign-in, added and removed (contract 10.1)', async () => {
    const [qa, mobile, other] = [await team('QA'), await team('Mobile'), await team('Other')];
    const person = newPerson({ groups: ['lab', 'qa', 'gone'] });
    const own = browser();
    await own.signIn(provider, person);
    const { id } = await me(own);
    expect(await me(own)).toMatchObject({ role: 'Member', teams: [{ id: qa.id, name: 'QA' }] });
    await world.ok('POST', `/teams/${other.id}/members`, { as: world.root.as, json: { userId: id } });
    await own.signIn(provider, { ...person, groups: ['lab-admins', 'lab', 'mobile'] });
    const changed = await me(own);
    expect(changed.role).toBe('Admin');
    expect(changed.teams.map((each: { id: string }) => each.id).sort()).toEqual([mobile.id, other.id].sort());
    await own.signIn(provider, { ...person, groups: ['lab'] });
    expect(await me(own)).toMatchObject({ role: 'Member', teams: [{ id: other.id }] });
    const tokens = await world.pair(own.as);
    await own.signIn(provider, { ...person, groups: ['lab-admins', 'qa'] });
    const before = own.as;
    const bearer = await world.bearer(before);
    expect(await browser().signIn(provider, { ...person, groups: ['others'] })).toBe(
      `${PROBLEM}oidc_no_account`,
    );
    const left = await world.ok('GET', '/auth/me', { as: tokens.as });
    expect(left).toMatchObject({ role: 'Member', teams: [{ id: other.id }] });
    for (const as of [before, bearer]) expect(await world.asks(as)).toMatch(/^401/);
    // Keycloak leaves the claim out for a person without any group.
    await own.signIn(provider, { ...person, groups: ['lab-admins', 'qa'] });
    const held = own.as;
    expect(await browser().signIn(provider, { ...person, groups: undefined })).toBe(
      `${PROBLEM}oidc_no_account`,
    );
    expect(await world.asks(held)).toMatch(/^401/);
    expect(await world.ok('GET', '/auth/me', { as: tokens.as })).toMatchObject({ role: 'Member' });
    expect(world.server.output()).toContain('SVC_OIDC_TEAMS names a team that does not exist');
  });

  it('sign-in through a provider refuses unmapped and unknown persons, and creates no account for them (contract 10.1)', async () => {
    for (const claims of [
      { groups: [] },
      { groups: ['others'] },
      { groups: undefined },
      { email: undefined },
    ])
      expect(await browser().signIn(provider, newPerson(claims))).toBe(`${PROBLEM}oidc_no_account`);
    const users = (await world.ok('GET', '/users', { as: world.root.as })) as { email: string }[];
    expect(users.map(({ email }) => email)).not.toContain(`from-provider-${people}@lab.test`);
  });

  it('sign-in through a provider says so when the groups do not fit into the token, and demotes nobody (contract 10.1)', async () => {
    const person = newPerson({ groups: ['lab-admins'] });
    const own = browser();
    await own.signIn(provider, person);
    const overage = { ...person, groups: undefined, _claim_names: { groups: 'src1' } };
    expect(await browser().signIn(provider, overage)).toBe(`${PROBLEM}oidc_failed`);
    expect(await me(own)).toMatchObject({ role: 'Admin' });
    expect(world.server.output()).toContain('too many groups for a token (overage)');
  });

  it('sign-in through a provider finds people by issuer and subject, never by e-mail address (contract 10.1)', async () => {
    const person = newPerson();
    const own = browser();
    await own.signIn(provider, person);
    const { id } = await me(own);
    await own.signIn(provider, { ...person, email: 'renamed@lab.test' });
    expect(await me(own)).toMatchObject({ id, email: person.email });
    expect(await browser().signIn(provider, { ...person, sub: 'somebody else' })).toBe(
      `${PROBLEM}oidc_no_account`,
    );
    expect(await world.ok('GET', '/profile/identities', { as: own.as })).toMatchObject([
      { issuer: provider.url, subject: person.sub },
    ]);
    const listed = (await world.ok('GET', '/users/identities', { as: world.root.as })) as {
      userId: string;
    }[];
    expect(listed.map(({ userId }) => userId)).toContain(id);
  });

  it('sign-in through a provider links an account of the same e-mail at the next password sign-in in this browser (contract 10.1)', async () => {
    const local = await world.person();
    const person = newPerson({ email: local.email.toUpperCase() });
    const own = browser();
    expect(await own.signIn(provider, person)).toBe(`${PROBLEM}oidc_link`);
    expect(own.cookies.has('svc_dashboard_session')).toBe(false);
    // Sign in with another browser and with another account, which must not link the person.
    await browser().post('/svc/api/auth/login', { email: local.email, password: local.password });
    const stranger = await world.person();
    await own.post('/svc/api/auth/login', { email: stranger.email, password: stranger.password });
    expect(await browser().signIn(provider, person)).toBe(`${PROBLEM}oidc_link`);
  });

  it('sign-in through a provider links the account that signs in with the password, and only once (contract 10.1)', async () => {
    const local = await world.person();
    const person = newPerson({ email: local.email });
    const own = browser();
    await own.signIn(provider, person);
    const wrong = await own.post('/svc/api/auth/login', { email: local.email, password: 'wrong' });
    expect(wrong.status).toBe(401);
    await own.post('/svc/api/auth/login', { email: local.email, password: local.password });
    expect(own.cookies.has('svc_oidc_link')).toBe(false);
    const later = browser();
    expect(await later.signIn(provider, person)).toBe('/svc/devices');
    expect(await me(later)).toMatchObject({ id: local.id });
    expect((await reasons()).join('\n')).toContain(`authn_identity_linked ${provider.url}, by password`);
  });

  it('a person unlinks an identity, which ends the other sign-ins that it opened (contract 10, 10.1)', async () => {
    const person = newPerson();
    const other = browser();
    await other.signIn(provider, person);
    const own = browser();
    await own.signIn(provider, person);
    const [{ id }] = await world.ok('GET', '/profile/identities', { as: own.as });
    const unlink = (as = own.as, at = id) => world.api('DELETE', `/profile/identities/${at}`, { as });
    // The account was created at sign-up, so it has no password.
    expectError(await unlink(), 'last_way_in');
    expectError(await unlink((await world.pair(own.as)).as), 'fresh_sign_in_required');
    const stranger = browser();
    await stranger.signIn(provider, newPerson());
    expectError(await unlink(stranger.as), 'not_found');
    const { id: userId } = await me(own);
    const reset = await world.ok('POST', `/users/${userId}/reset-link`, { as: world.root.as });
    const token = reset.link.split('#')[1];
    const newPassword = 'chosen by hand, and long';
    await world.ok('POST', '/auth/reset-password', { json: { token, newPassword } });
    await other.signIn(provider, person);
    await own.signIn(provider, person);
    const minted = await world.ok('POST', '/auth/token', { as: other.as, json: {} });
    expect((await unlink()).status).toBe(204);
    expectError(await unlink(), 'not_found');
    expect(await world.ok('GET', '/profile/identities', { as: own.as })).toEqual([]);
    expect((await me(own)).id).toBe(userId);
    expect(await world.asks(other.as)).toBe('401 invalid session');
    expect(await world.asks({ authorization: `Bearer ${minted.token}` })).toMatch(/^401 /);
    expect(await reasons()).toContain(`authn_identity_unlinked ${provider.url}`);
    expect(await browser().signIn(provider, person)).toBe(`${PROBLEM}oidc_link`);
  });

  it('an Admin unlinks identities of Members alone (contract 10, 10.1)', async () => {
    const admin = await world.person('Admin');
    const member = browser();
    await member.signIn(provider, newPerson());
    const colleague = browser();
    await colleague.signIn(provider, newPerson({ groups: ['lab-admins'] }));
    const { id: memberId } = await me(member);
    const { id: colleagueId } = await me(colleague);
    const listed = (await world.ok('GET', '/users/identities', { as: world.root.as })) as {
      id: string;
      userId: string;
    }[];
    const of = (userId: string) => listed.find((row) => row.userId === userId)?.id ?? '';
    const unlink = (as: Credentials, userId: string, id = of(userId)) =>
      world.api('DELETE', `/users/${userId}/identities/${id}`, { as });
    expectError(await unlink(member.as, memberId), 'insufficient_role');
    expectError(await unlink(admin.as, colleagueId), 'role_exceeds_yours');
    expectError(await unlink(colleague.as, colleagueId), 'cannot_change_yourself');
    expectError(await unlink(admin.as, memberId, of(colleagueId)), 'not_found');
    expectError(await unlink(admin.as, 'x'), 'not_found');
    expect((await unlink(admin.as, memberId)).status).toBe(204);
    expect(await world.asks(member.as)).toMatch(/^401 /);
    expect((await unlink(world.root.as, colleagueId)).status).toBe(204);
  });

  it('sign-in through a provider does not sign in Inactive accounts (contract 10.1)', async () => {
    const person = newPerson();
    const own = browser();
    await own.signIn(provider, person);
    const { id } = await me(own);
    const to = (status: string) => world.ok('PATCH', `/users/${id}`, { as: world.root.as, json: { status } });
    await to('Inactive');
    expect(await browser().signIn(provider, person)).toBe(`${PROBLEM}oidc_no_account`);
    expect(await browser().signIn(provider, { ...person, sub: 'other' })).toBe(`${PROBLEM}oidc_no_account`);
    await to('Active');
    expect(await browser().signIn(provider, person)).toBe('/svc/devices');
  });

  it('sign-in through a provider never leaves the lab without an active Super admin (contract 10.1)', async () => {
    const person = newPerson({ email: world.root.email, groups: ['lab'] });
    const own = browser();
    expect(await own.signIn(provider, person)).toBe(`${PROBLEM}oidc_link`);
    await own.post('/svc/api/auth/login', { email: world.root.email, password: world.root.password });
    expect(await own.signIn(provider, person)).toBe('/svc/devices');
    expect(await me(own)).toMatchObject({ id: world.root.id, role: 'Super admin' });
  });

  it('sign-in through a provider logs neither codes nor secrets (contract 10.1)', async () => {
    const own = browser();
    const query = provider.authorize(await own.start(), newPerson());
    await own.back(query);
    const secrets = [query.get('code') ?? '', query.get('state') ?? '', CLIENT_SECRET, 'an access token'];
    for (const secret of secrets) expect(world.server.output()).not.toContain(secret);
  });
});
