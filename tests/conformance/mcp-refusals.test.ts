import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calling, LIST_TOOLS } from './support/agent.ts';
import type { CallOptions } from './support/call.ts';
import { type Outcome, outcomeAfter, outcomeOf } from './support/outcome.ts';
import { type Credentials, type Pair, type Person, targets, World } from './support/world.ts';

const PUBLIC_URL = 'https://lab.example';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };
const ON_ITS_WAY = { 'content-length': 500_000, expect: '100-continue' };
const EVIL = { origin: 'https://evil.test' };
const LARGE = 'x'.repeat(2 * 1024 * 1024);
const METADATA = `Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/svc/mcp"`;
const READ = expect.stringMatching(/^read /);
const CHANGE = expect.stringMatching(/^change /);

/** Outcomes that several requests share. */
const NO_BEARER: Outcome = {
  ...{ status: 401, error: 'unauthenticated', reason: 'no credential' },
  challenge: METADATA,
};
const BAD_BEARER: Outcome = {
  ...{ status: 401, reason: 'bearer token: malformed' },
  error: 'invalid token',
  challenge: `${METADATA}, error="invalid_token"`,
};
const CSRF: Outcome = {
  status: 403,
  error: 'CSRF: Origin/Referer mismatch',
  reason: 'CSRF: Origin/Referer mismatch',
};
const NO_METHOD: Outcome = { status: 405, error: -32_000 };
const NOT_FOUND: Outcome = { status: 404, error: 'not_found' };

type Row = [who: string, request: string, options: () => CallOptions, expected: Outcome];

describe.each(targets)('refusals of MCP on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let pair: Pair;
  let scimKey: Credentials;
  let agent: Credentials;
  let rest: Credentials;

  beforeAll(async () => {
    world = await World.start(start, { SVC_PUBLIC_URL: PUBLIC_URL });
    admin = await world.person('Admin');
    pair = await world.pair(admin.as);
    const json = { name: 'idp', kind: 'scim' };
    const { token } = await world.ok('POST', '/apikeys', { as: world.root.as, json });
    scimKey = { authorization: `Bearer ${token}` };
    agent = await agentOf(admin.as);
    rest = await world.bearer(admin.as);
  });
  afterAll(() => world.server.stop());

  const agentOf = (as: Credentials) =>
    world.bearer(as, { audience: 'svc-mcp', scopes: ['svc:devices:read'] });
  const ask = (what: string, options: CallOptions = {}) =>
    outcomeOf(world, what.split(' ') as [string, string], options);
  const message = (headers: CallOptions['headers'] = {}) => ({ json: LIST_TOOLS, headers });

  it.each<Row>([
    ['a request without a bearer', 'POST /svc/mcp', () => message(), NO_BEARER],
    ['a cookie', 'POST /svc/mcp', () => ({ as: admin.as, ...message() }), NO_BEARER],
    ['a key pair', 'POST /svc/mcp', () => ({ as: pair.as, ...message() }), NO_BEARER],
    [
      'a bearer of the API',
      'POST /svc/mcp',
      () => ({ as: rest, ...message() }),
      { ...BAD_BEARER, reason: 'bearer token: not for agents' },
    ],
    ['a SCIM key', 'POST /svc/mcp', () => ({ as: scimKey, ...message() }), BAD_BEARER],
    [
      'two bearers',
      'POST /svc/mcp',
      () => message({ authorization: [`${agent.authorization}`, 'Bearer x'] }),
      { ...BAD_BEARER, reason: 'two Authorization headers' },
    ],
    ['a large body', 'POST /svc/mcp', () => ({ body: LARGE, headers: JSON_BODY }), NO_BEARER],
    ['a body on its way', 'POST /svc/mcp', () => ({ headers: { ...JSON_BODY, ...ON_ITS_WAY } }), NO_BEARER],
    ['GET without a bearer', 'GET /svc/mcp', () => ({}), NO_BEARER],
    [
      'HEAD without a bearer',
      'HEAD /svc/mcp',
      () => ({}),
      { status: 401, challenge: METADATA, reason: 'no credential' },
    ],
    ['GET', 'GET /svc/mcp', () => ({ as: agent }), NO_METHOD],
    ['DELETE', 'DELETE /svc/mcp', () => ({ as: agent }), NO_METHOD],
    ['another site before the bearer', 'POST /svc/mcp', () => message(EVIL), CSRF],
    ['another site that reads', 'GET /svc/mcp', () => ({ headers: EVIL }), CSRF],
    [
      'an Origin that is no URL',
      'POST /svc/mcp',
      () => ({ as: agent, ...message({ origin: 'x' }) }),
      { status: 403, error: 'CSRF: invalid Origin/Referer', reason: 'CSRF: invalid Origin/Referer' },
    ],
    [
      'a request from another site',
      'POST /svc/mcp',
      () => ({ as: agent, ...message({ origin: world.url, 'sec-fetch-site': 'cross-site' }) }),
      CSRF,
    ],
    [
      'a foreign name of this server',
      'POST /svc/mcp',
      () => ({ as: agent, ...message({ host: 'evil.test', origin: 'http://evil.test' }) }),
      { ...CSRF, reason: 'the Host header is no known name of this server' },
    ],
    ['PUT', 'PUT /svc/mcp', () => ({ as: agent }), NOT_FOUND],
    ['an address below', 'GET /svc/mcp/x', () => ({}), NOT_FOUND],
    [
      'a broken message',
      'POST /svc/mcp',
      () => ({ as: agent, body: '{', headers: JSON_BODY }),
      { status: 400, error: -32_700 },
    ],
    [
      'a large message',
      'POST /svc/mcp',
      () => ({ as: agent, body: LARGE, headers: JSON_BODY }),
      { status: 413, error: 'body_too_large', reason: 'body_too_large' },
    ],
  ])('MCP refuses %s: %s (contract 12)', async (_, what, options, expected) => {
    expect(await ask(what, options())).toEqual(expected);
  });

  it('MCP counts a message before the scope of its tool is checked (contract 1, 12)', async () => {
    const person = await world.person();
    const as = await agentOf(person.as);
    const challenge = `${METADATA}, error="insufficient_scope", scope="auto:use"`;
    expect(await ask('POST /svc/mcp', { as, json: calling('start_session') })).toEqual({
      ...{ status: 403, error: 'insufficient_scope', challenge },
      ...{ rate: CHANGE, reason: 'MCP scope auto:use' },
    });
    expect(await ask('POST /svc/mcp', { as, ...message({ origin: PUBLIC_URL }) })).toEqual({
      status: 200,
      rate: 'read 2999',
    });
    const beside = { ...pair.as, 'x-svc-token': 'x', ...as };
    expect(await ask('POST /svc/mcp', { as: beside, ...message() })).toEqual({
      status: 200,
      rate: READ,
    });
  });

  it('a bearer that ends while the message is on its way is challenged, whatever the message (contract 12)', async () => {
    const gone = await agentOf(admin.as);
    const end = () =>
      ask('POST /svc/oauth/revoke', {
        body: `token=${String(gone.authorization).slice(7)}`,
        headers: FORM,
      });
    const request = { as: gone, headers: JSON_BODY, body: '{"jsonrpc":' };
    expect(await outcomeAfter(world, ['POST', '/svc/mcp'], request, end)).toEqual({
      ...BAD_BEARER,
      reason: 'credential replaced',
    });
  });
});

describe.each(targets)('protocols while sign-in is off on $name', ({ start }) => {
  it('introspection and MCP need no credential, SCIM needs its key, and an origin is checked (spec 5.12)', async () => {
    const world = await World.start(start, { SVC_AUTH_DISABLED: 'true', SVC_PUBLIC_URL: PUBLIC_URL });
    const ask = (what: string, options: CallOptions) =>
      outcomeOf(world, what.split(' ') as [string, string], options);
    const tool = { json: calling('end_session', { sessionId: 'x' }) };
    expect(await ask('POST /svc/mcp', tool)).toEqual({ status: 200, rate: CHANGE });
    expect(await ask('POST /svc/mcp', { ...tool, headers: EVIL })).toEqual(CSRF);
    const two = { authorization: ['Bearer x', 'Bearer y'] };
    expect(await ask('POST /svc/mcp', { ...tool, headers: two })).toEqual({
      status: 200,
      rate: CHANGE,
    });
    const asked = await ask('POST /svc/oauth/introspect', { body: 'token=x', headers: { ...FORM, ...EVIL } });
    expect(asked).toMatchObject({ status: 200, rate: READ });
    expect(await ask('GET /svc/scim/v2/Users', {})).toEqual({
      status: 401,
      error: 'unauthenticated',
      challenge: 'Bearer',
      reason: 'no credential',
    });
    await world.server.stop();
  });
});
