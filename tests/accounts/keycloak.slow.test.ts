import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../conformance/support/call.ts';
import { OidcBrowser } from '../conformance/support/oidc-browser.ts';
import { World } from '../conformance/support/world.ts';
import { type Json, Keycloak } from '../support/keycloak.ts';
import { freePort, startApi } from '../support/lab.ts';
import { cleanUp } from '../support/programs.ts';

const SECRET = 'the secret of the client svc';
const PASSWORD = 'the password of grace at the company';
const PROBLEM = '/svc/sign-in?problem=';

let lab: string;
let keycloak: Keycloak;
let world: World;

/**
 * Realm with a person who is in two groups, with the client of the lab as the guide sets it up, and with a client for
 * jobs.
 */
const realm = () => ({
  realm: 'company',
  enabled: true,
  sslRequired: 'none',
  groups: [{ name: 'lab' }, { name: 'lab-admins' }, { name: 'qa' }],
  users: [
    {
      ...{ username: 'grace', email: 'grace@company.test', emailVerified: true, enabled: true },
      ...{ firstName: 'Grace', lastName: 'Hopper', groups: ['/lab', '/qa'] },
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    },
  ],
  clients: [
    {
      ...{ clientId: 'svc', secret: SECRET, publicClient: false, standardFlowEnabled: true },
      redirectUris: [`${lab}/svc/api/auth/oidc/callback`],
      attributes: {
        'pkce.code.challenge.method': 'S256',
        'id.token.signed.response.alg': 'ES256',
        'backchannel.logout.url': `${lab}/svc/oidc/backchannel-logout`,
        'backchannel.logout.session.required': 'true',
      },
      protocolMappers: [
        mapper('oidc-group-membership-mapper', { 'claim.name': 'groups', 'full.path': 'false' }),
      ],
    },
    {
      ...{ clientId: 'nightly', secret: SECRET, publicClient: false },
      ...{ serviceAccountsEnabled: true, standardFlowEnabled: false, fullScopeAllowed: false },
      protocolMappers: [
        mapper('oidc-audience-mapper', { 'included.custom.audience': lab, 'access.token.claim': 'true' }),
      ],
    },
  ],
});

const mapper = (protocolMapper: string, config: Json) => ({
  ...{ name: protocolMapper, protocol: 'openid-connect', protocolMapper },
  config: { 'id.token.claim': 'true', ...config },
});

beforeAll(async () => {
  const port = await freePort();
  lab = `http://127.0.0.1:${port}`;
  keycloak = await Keycloak.start(realm());
  world = await World.start(startApi, {
    ...{ PORT: String(port), SVC_PUBLIC_URL: lab, SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' },
    ...{ SVC_OIDC_ISSUER: keycloak.issuer, SVC_OIDC_CLIENT_ID: 'svc', SVC_OIDC_CLIENT_SECRET: SECRET },
    ...{ SVC_OIDC_ROLES: 'lab-admins=Admin,lab=Member', SVC_OIDC_TEAMS: 'qa=QA', SVC_OIDC_SIGN_UP: 'mapped' },
  });
  await world.ok('POST', '/teams', { as: world.root.as, json: { name: 'QA' } });
}, 400_000);
afterAll(async () => {
  await keycloak?.stop();
  await world?.server.stop();
  cleanUp();
});

/** A person's browser: one cookie jar for Keycloak, and one for the lab. */
class Person {
  readonly lab = new OidcBrowser(world);
  readonly #cookies = new Map<string, string>();

  /**
   * Signs in through Keycloak, and fills in Keycloak's form if there is one.
   * @returns the address to which the lab redirects the browser
   */
  async signIn(password = PASSWORD): Promise<string> {
    const back = await this.atKeycloak(await this.lab.start(), password);
    return (await this.lab.back(back.searchParams)).headers.location ?? '';
  }

  /**
   * Signs in at Keycloak.
   * @returns the address of the lab to which Keycloak sends the browser back
   */
  async atKeycloak(address: string, password = PASSWORD): Promise<URL> {
    let answer = await this.#visit(address);
    let location = answer.headers.get('location');
    if (location === null) {
      const action = /<form[^>]+id="kc-form-login"[^>]+action="([^"]+)"/.exec(await answer.text())?.[1];
      if (action === undefined) throw new Error(`Keycloak shows no form: ${answer.status}`);
      const form = new URLSearchParams({ username: 'grace', password, credentialId: '' });
      answer = await this.#visit(action.replaceAll('&amp;', '&'), { method: 'POST', body: form });
      location = answer.headers.get('location');
    }
    if (location === null) throw new Error(`Keycloak does not lead back: ${answer.status}`);
    return new URL(location);
  }

  async #visit(address: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie }, ...init });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  }

  get as() {
    return this.lab.as;
  }
}

const me = (person: Person) => world.ok('GET', '/auth/me', { as: person.as });
const idOf = async (path: string): Promise<string> => (await keycloak.admin('GET', path))[0].id;
const grace = () => idOf('/users?username=grace');
const group = (name: string) => idOf(`/groups?search=${name}&exact=true`);
const setClient = async (change: Json) => {
  const id = await idOf('/clients?clientId=svc');
  const client = await keycloak.admin('GET', `/clients/${id}`);
  const attributes = { ...client.attributes, ...(change.attributes as Json) };
  await keycloak.admin('PUT', `/clients/${id}`, { ...client, ...change, attributes });
};

it('a person of a Keycloak group gets role and team, and loses them with the group (contract 10.1)', async () => {
  const person = new Person();
  expect(await person.signIn()).toBe('/svc/devices');
  expect(await me(person)).toMatchObject({
    ...{ email: 'grace@company.test', name: 'Grace Hopper', role: 'Member', teams: [{ name: 'QA' }] },
  });
  const user = await grace();
  await keycloak.admin('PUT', `/users/${user}/groups/${await group('lab-admins')}`);
  await keycloak.admin('DELETE', `/users/${user}/groups/${await group('qa')}`);
  expect(await person.signIn()).toBe('/svc/devices');
  expect(await me(person)).toMatchObject({ role: 'Admin', teams: [] });
  const earlier = person.as;
  await keycloak.admin('DELETE', `/users/${user}/groups/${await group('lab-admins')}`);
  await keycloak.admin('DELETE', `/users/${user}/groups/${await group('lab')}`);
  expect(await new Person().signIn()).toBe(`${PROBLEM}oidc_no_account`);
  expect(await world.asks(earlier)).toBe('401 invalid session');
  await keycloak.admin('PUT', `/users/${user}/groups/${await group('lab')}`);
  expect(await person.signIn()).toBe('/svc/devices');
  expect(await me(person)).toMatchObject({ role: 'Member', teams: [] });
});

it('a logout at Keycloak ends the sign-ins and the tokens minted from them (contract 10.1)', async () => {
  const user = await grace();
  const logOut = () => keycloak.admin('POST', `/users/${user}/logout`);
  // Keycloak notifies a client about one session only if a logout ends several sessions.
  await logOut();
  const person = new Person();
  await person.signIn();
  const bearer = await world.bearer(person.as);
  const pair = await world.pair(person.as);
  expect(await world.asks(bearer)).toBe('200');
  await logOut();
  // Keycloak responds before it has notified every client.
  await expect.poll(() => world.asks(person.as), { timeout: 20_000 }).toBe('401 invalid session');
  expect(await world.asks(bearer)).toMatch(/^401 /);
  expect(await world.asks(pair.as)).toBe('200');
});

it('answers of Keycloak are refused twice, in another browser, and unsigned by a key pair (contract 10.1)', async () => {
  const person = new Person();
  const back = await person.atKeycloak(await person.lab.start());
  // RFC 9207: Keycloak adds its issuer to the redirect.
  expect(back.searchParams.get('iss')).toBe(keycloak.issuer);
  expect((await new Person().lab.back(back.searchParams)).headers.location).toBe(`${PROBLEM}oidc_failed`);
  const changed = new URLSearchParams(back.searchParams);
  changed.set('iss', `${keycloak.url}/realms/master`);
  expect((await person.lab.back(changed)).headers.location).toBe(`${PROBLEM}oidc_failed`);
  // A second sign-in does not accept the code of the first one.
  const address = await person.lab.start();
  const mixed = new URLSearchParams(back.searchParams);
  mixed.set('state', new URL(address).searchParams.get('state') ?? '');
  expect((await person.lab.back(mixed)).headers.location).toBe(`${PROBLEM}oidc_failed`);
  const signedWith = async (algorithm: string) => {
    await setClient({ attributes: { 'id.token.signed.response.alg': algorithm } });
    return person.signIn();
  };
  expect(await signedWith('HS256')).toBe(`${PROBLEM}oidc_failed`);
  expect(await signedWith('RS256')).toBe('/svc/devices');
  await setClient({ secret: 'another secret' });
  expect(await person.signIn()).toBe(`${PROBLEM}oidc_failed`);
  await setClient({ secret: SECRET });
  expect(await person.signIn()).toBe('/svc/devices');
  const log = world.server.output();
  for (const secret of [SECRET, PASSWORD, back.searchParams.get('code') ?? ''])
    expect(log).not.toContain(secret);
});

it('a job exchanges a token that Keycloak signed for its client (contract 10.3)', async () => {
  const rule = { name: 'nightly', issuer: keycloak.issuer, scopes: ['read'] };
  const claims = [{ claim: 'azp', anyOf: ['nightly'] }];
  await world.ok('POST', '/trust-rules', { as: world.root.as, json: { ...rule, claims } });
  const exchange = (token: string) =>
    call(world.url, 'POST', '/svc/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: token,
      }).toString(),
    });
  const token = await keycloak.tokenOf('nightly', SECRET);
  const { status, body, text } = await exchange(token);
  expect(status, text).toBe(200);
  const answer = await world.ok('GET', '/auth/me', { as: { authorization: `Bearer ${body.access_token}` } });
  expect(answer).toMatchObject({ kind: 'bearer', via: { ruleName: 'nightly' } });
  expect((await exchange(token)).body.error).toBe('invalid_grant');
});

it('an outage of Keycloak makes only the sign-in through it unavailable (contract 10.1)', async () => {
  const person = new Person();
  const back = await person.atKeycloak(await person.lab.start());
  await keycloak.stop();
  expect((await person.lab.back(back.searchParams)).headers.location).toBe(`${PROBLEM}oidc_unavailable`);
  expect(await world.asks(await world.signIn(world.root.email, world.root.password))).toBe('200');
});
