import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, call } from './support/call.ts';
import { type Outcome, outcomeAfter, outcomeOf } from './support/outcome.ts';
import { type Credentials, type Pair, type Person, targets, World } from './support/world.ts';

const PUBLIC_URL = 'https://lab.example';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };
const ON_ITS_WAY = { 'content-length': 500_000, expect: '100-continue' };
const EVIL = { origin: 'https://evil.test' };
const LARGE = 'x'.repeat(2 * 1024 * 1024);
const USERS = '/svc/scim/v2/Users';

/** Outcomes that several requests share. */
const UNPROVEN = { status: 401, error: 'unauthenticated', reason: 'no credential' };
const MALFORMED = { status: 401, reason: 'bearer token: malformed' };
const NO_KEY: Outcome = { ...UNPROVEN, challenge: 'Bearer' };
const BAD_KEY: Outcome = {
  status: 401,
  error: 'invalid token',
  challenge: 'Bearer',
  reason: 'key has a wrong form or checksum',
};
const OTHER_METHOD: Outcome = { status: 405, error: 'This address has the methods GET, POST' };
const NO_CLIENT: Outcome = { ...NO_KEY, error: 'invalid_client' };
const HALF_PAIR: Outcome = { ...NO_CLIENT, reason: 'half a pair' };
const BAD_CLIENT: Outcome = {
  ...MALFORMED,
  error: 'invalid_token',
  challenge: 'Bearer error="invalid_token"',
};
const NOT_FOUND: Outcome = { status: 404, error: 'not_found' };

type Row = [who: string, request: string, options: () => CallOptions, expected: Outcome];

describe.each(targets)('refusals of the protocols on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let pair: Pair;
  let scimKey: Credentials;
  let agent: Credentials;

  beforeAll(async () => {
    world = await World.start(start, {
      SVC_PUBLIC_URL: PUBLIC_URL,
      SVC_METRICS_TOKEN: 'scraper',
    });
    admin = await world.person('Admin');
    pair = await world.pair(admin.as);
    scimKey = bearer((await keyOf(world.root)).token);
    agent = await agentOf(admin.as);
  });
  afterAll(() => world.server.stop());

  const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });
  const basic = (text: string): Credentials => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });
  const keyOf = (owner: Person, input: object = {}) =>
    world.ok('POST', '/apikeys', { as: owner.as, json: { name: 'idp', kind: 'scim', ...input } });
  const agentOf = (as: Credentials) =>
    world.bearer(as, { audience: 'svc-mcp', scopes: ['svc:devices:read'] });
  const demote = ({ id }: Person) =>
    world.ok('PATCH', `/users/${id}`, { as: world.root.as, json: { role: 'Admin' } });
  const ask = (what: string, options: CallOptions = {}) =>
    outcomeOf(world, what.split(' ') as [string, string], options);
  const form = (body = `token=${pair.token}`, headers: CallOptions['headers'] = {}) => ({
    body,
    headers: { ...FORM, ...headers },
  });

  it.each<Row>([
    ['a request without a key', `GET ${USERS}`, () => ({}), NO_KEY],
    [
      'HEAD without a key',
      `HEAD ${USERS}`,
      () => ({}),
      { status: 401, challenge: 'Bearer', reason: 'no credential' },
    ],
    ['a cookie', `GET ${USERS}`, () => ({ as: world.root.as }), NO_KEY],
    ['a key pair', `GET ${USERS}`, () => ({ as: pair.as }), NO_KEY],
    ['a pair as Basic', `GET ${USERS}`, () => ({ as: basic(`${pair.accessKey}:${pair.token}`) }), NO_KEY],
    ['an agent', `GET ${USERS}`, () => ({ as: agent }), BAD_KEY],
    ['a search without a key', 'POST /svc/scim/v2/.search', () => ({ json: {} }), NO_KEY],
    ['a large body', `POST ${USERS}`, () => ({ body: LARGE, headers: JSON_BODY }), NO_KEY],
    ['plain text', `POST ${USERS}`, () => ({ body: 'x', headers: { 'content-type': 'text/plain' } }), NO_KEY],
    ['a body on its way', `POST ${USERS}`, () => ({ headers: { ...JSON_BODY, ...ON_ITS_WAY } }), NO_KEY],
    ['an unknown method', `PUT ${USERS}`, () => ({}), OTHER_METHOD],
    ['OPTIONS with a key', `OPTIONS ${USERS}`, () => ({ as: scimKey }), OTHER_METHOD],
    [
      'an unknown address',
      'GET /svc/scim/v2/No',
      () => ({}),
      { status: 404, error: 'There is nothing at this address.' },
    ],
  ])('SCIM refuses %s: %s (contract 10, 10.5)', async (_, what, options, expected) => {
    expect(await ask(what, options())).toEqual(expected);
  });

  it('each protocol takes its own credentials alone: SCIM, introspection, MCP (contract 10, 12)', async () => {
    const member = await world.person();
    const restBearer = await world.bearer(admin.as);
    const inactive = await world.person('Super admin');
    const ofInactive = bearer((await keyOf(inactive)).token);
    await world.ok('PATCH', `/users/${inactive.id}`, { as: world.root.as, json: { status: 'Inactive' } });
    const { ticket } = await world.ok('POST', '/events/ticket', { as: admin.as });
    const rows: readonly (readonly [string, Credentials, number, number, number])[] = [
      ['a stranger', {}, 401, 401, 401],
      ['the cookie of a Super admin', world.root.as, 401, 401, 401],
      ['the pair of a Member', (await world.pair(member.as)).as, 401, 200, 401],
      ['the pair of an Admin', pair.as, 401, 200, 401],
      ['an API key', (await world.apiKey(admin.as)).as, 401, 200, 401],
      ['an API key as a bearer', bearer((await world.apiKey(world.root.as)).token), 401, 401, 401],
      ['a bearer of the API', restBearer, 401, 200, 401],
      ['a bearer of an agent', agent, 401, 200, 200],
      ['a SCIM key', scimKey, 200, 401, 401],
      ['a SCIM key of an Inactive owner', ofInactive, 401, 401, 401],
      ['a pair beside a SCIM key', { ...pair.as, ...scimKey }, 200, 200, 401],
      ['half a pair beside an agent', { 'x-svc-token': 'x', ...agent }, 401, 401, 200],
      ['the token of the scraper', bearer('scraper'), 401, 401, 401],
      ['a token of no hub', { 'x-svc-hub-token': agent.authorization?.slice(7) ?? '' }, 401, 401, 401],
    ];
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const [who, as, ...expected] of rows) {
      const asked = [
        await ask(`GET ${USERS}?count=0&ticket=${ticket}`, { as }),
        await ask(`POST /svc/oauth/introspect?ticket=${ticket}`, { as, ...form() }),
        await ask(`POST /svc/mcp?ticket=${ticket}`, { as, json }),
      ];
      expect([who, ...asked.map(({ status }) => status)]).toEqual([who, ...expected]);
    }
  });

  it("a SCIM request is counted before the role of the key's owner is checked (contract 1, 10.5)", async () => {
    const boss = await world.person('Super admin');
    const as = bearer((await keyOf(boss, { rateLimit: 1 })).token);
    await demote(boss);
    const refused = {
      error: 'Your role does not allow this.',
      reason: 'role too low',
    };
    expect(await ask(`GET ${USERS}`, { as })).toEqual({ status: 403, rate: 'read 0', ...refused });
    const limited = await ask(`GET ${USERS}`, { as });
    expect(limited).toEqual({
      status: 429,
      error: 'rate limit exceeded',
      rate: 'read 0',
      reason: 'rate limit exceeded',
    });
    expect(await ask(`DELETE ${USERS}/x`, { as })).toEqual({ status: 403, rate: 'change 0', ...refused });
  });

  it('a page of another site may send a SCIM key, which no browser adds itself (contract 1, 10)', async () => {
    const counted = await keyOf(world.root, { rateLimit: 3 });
    const as = bearer(counted.token);
    const passed = [`GET ${USERS}?count=0`, `HEAD ${USERS}?count=0`];
    for (const [at, what] of passed.entries())
      expect(await ask(what, { as, headers: EVIL })).toEqual({ status: 200, rate: `read ${2 - at}` });
  });

  it('a SCIM key that ends while the body is on its way changes nothing (contract 1, 10.5)', async () => {
    const boss = await world.person('Super admin');
    const [ofBoss, own] = [await keyOf(boss), await keyOf(world.root)];
    const request = { headers: JSON_BODY, body: '{"userName":"late@lab.test"}' };
    const late = (key: { token: string }, meanwhile: () => Promise<unknown>) =>
      outcomeAfter(world, ['POST', USERS], { ...request, as: bearer(key.token) }, meanwhile);
    expect(await late(ofBoss, () => demote(boss))).toEqual({
      ...{ status: 403, error: 'Your role does not allow this.', rate: 'change 299' },
      reason: 'role too low',
    });
    expect(await late(own, () => world.ok('DELETE', `/apikeys/${own.id}`, { as: world.root.as }))).toEqual({
      ...{ status: 401, error: 'invalid token', challenge: 'Bearer', rate: 'change 299' },
      reason: 'unknown or revoked key',
    });
    const found = await call(
      world.url,
      'GET',
      `${USERS}?filter=${encodeURIComponent('userName eq "late@lab.test"')}`,
      { as: scimKey },
    );
    expect(found.body.totalResults).toBe(0);
  });

  it.each<Row>([
    ['a request without a credential', 'POST /svc/oauth/introspect', () => form(), NO_CLIENT],
    ['a cookie', 'POST /svc/oauth/introspect', () => ({ as: admin.as, ...form() }), NO_CLIENT],
    [
      'half a pair',
      'POST /svc/oauth/introspect',
      () => ({ as: { 'x-svc-token': pair.token }, ...form() }),
      HALF_PAIR,
    ],
    [
      'a user without a password',
      'POST /svc/oauth/introspect',
      () => ({ as: basic(pair.accessKey), ...form() }),
      HALF_PAIR,
    ],
    ['another user name', 'POST /svc/oauth/introspect', () => ({ as: basic('x:y'), ...form() }), NO_CLIENT],
    ['a wrong bearer', 'POST /svc/oauth/introspect', () => ({ as: bearer('x'), ...form() }), BAD_CLIENT],
    ['a SCIM key', 'POST /svc/oauth/introspect', () => ({ as: scimKey, ...form() }), BAD_CLIENT],
    ['a large body', 'POST /svc/oauth/introspect', () => form(LARGE), NO_CLIENT],
    [
      'a body on its way',
      'POST /svc/oauth/introspect',
      () => ({ headers: { ...FORM, ...ON_ITS_WAY } }),
      NO_CLIENT,
    ],
    ['GET', 'GET /svc/oauth/introspect', () => ({ as: pair.as }), NOT_FOUND],
    ['OPTIONS', 'OPTIONS /svc/oauth/introspect', () => ({ as: pair.as }), NOT_FOUND],
    [
      'a logout without a provider',
      'POST /svc/oidc/backchannel-logout',
      () => form('logout_token=x'),
      { ...NOT_FOUND, reason: 'no provider is set up' },
    ],
  ])('OAuth refuses %s: %s (contract 10, 10.4)', async (_, what, options, expected) => {
    expect(await ask(what, options())).toEqual(expected);
  });

  it('introspection counts as reading, for the key that asks (contract 10.4, 14.4)', async () => {
    const { as } = await world.apiKey(admin.as, { rateLimit: 2 });
    const asked = () => ask('POST /svc/oauth/introspect', { as, ...form(undefined, EVIL) });
    expect(await asked()).toEqual({ status: 200, rate: 'read 1' });
    expect(await ask('POST /svc/oauth/introspect', { as, ...form('') })).toEqual({
      ...{ status: 400, error: 'invalid_request', rate: 'read 0' },
    });
    expect(await asked()).toEqual({
      ...{ status: 429, error: 'temporarily_unavailable', rate: 'read 0', reason: 'rate limit exceeded' },
    });
    expect(await ask('POST /svc/oauth/introspect', { as: agent, ...form() })).toMatchObject({ status: 200 });
  });

  it('a key that ends while the body is on its way learns nothing of a token (contract 1, 10.4)', async () => {
    const gone = await world.pair(admin.as);
    const end = () => world.ok('DELETE', `/profile/tokens/${gone.id}`, { as: admin.as });
    const request = { as: gone.as, headers: FORM, body: `token=${pair.token}` };
    expect(await outcomeAfter(world, ['POST', '/svc/oauth/introspect'], request, end)).toEqual({
      ...{ status: 401, error: 'invalid_client', challenge: 'Bearer', rate: 'read 299' },
      reason: 'unknown or revoked token',
    });
  });

  it('preflights of public routes are answered, also without a public address (contract 10)', async () => {
    const bare = await World.start(start);
    const paths = ['/svc/oauth/token', '/svc/oauth/revoke', '/.well-known/oauth-protected-resource/svc/mcp'];
    for (const path of paths)
      for (const each of [world, bare])
        expect(await outcomeOf(each, ['OPTIONS', path], { headers: EVIL })).toEqual({ status: 204 });
    await bare.server.stop();
  });
});
