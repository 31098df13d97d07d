import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, call } from './support/call.ts';
import { targets, World } from './support/world.ts';

const PUBLIC_URL = 'https://lab.example:8443';
const FORM = 'application/x-www-form-urlencoded';
const DOCUMENTS = [
  '/.well-known/oauth-authorization-server/svc/oauth',
  '/.well-known/oauth-protected-resource/svc/api',
  '/.well-known/oauth-protected-resource/svc/mcp',
];

describe.each(targets)('protocols beside the API on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, { SVC_PUBLIC_URL: `${PUBLIC_URL}/svc/` });
  });
  afterAll(() => world.server.stop());

  const ask = (method: string, path: string, options: CallOptions = {}) =>
    call(world.url, method, path, { ...options, headers: { origin: null, ...options.headers } });
  const token = (body: string, headers: CallOptions['headers'] = {}) =>
    ask('POST', '/svc/oauth/token', { body, headers: { 'content-type': FORM, ...headers } });

  it('the documents name this server by its public address (contract 10)', async () => {
    const [server, api, mcp] = await Promise.all(DOCUMENTS.map((path) => ask('GET', `${path}?x=1`)));
    for (const answer of [server, api, mcp]) {
      expect(answer?.status).toBe(200);
      expect(answer?.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      });
      expect(answer?.headers['access-control-allow-credentials']).toBeUndefined();
    }
    expect(server?.body).toMatchObject({
      issuer: `${PUBLIC_URL}/svc/oauth`,
      token_endpoint: `${PUBLIC_URL}/svc/oauth/token`,
      jwks_uri: `${PUBLIC_URL}/svc/api/auth/jwks.json`,
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['none'],
    });
    expect(server?.body.scopes_supported).not.toContain('admin');
    const common = {
      authorization_servers: [`${PUBLIC_URL}/svc/oauth`],
      bearer_methods_supported: ['header'],
    };
    expect(api?.body).toMatchObject({ resource: `${PUBLIC_URL}/svc/api`, ...common });
    expect(mcp?.body).toMatchObject({ resource: `${PUBLIC_URL}/svc/mcp`, ...common });
    expect(api?.body.scopes_supported).toEqual(['read', 'sessions', 'devices']);
  });

  it('every other address below /.well-known is not ours (contract 10)', async () => {
    for (const path of [
      ...DOCUMENTS.map((each) => `${each}/`),
      '/.well-known/openid-configuration',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/svc',
    ]) {
      const answer = await ask('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).not.toContain(PUBLIC_URL);
    }
  });

  it.each([
    ['no body', '', FORM, 400, 'invalid_request'],
    ['no grant_type', 'a=b', FORM, 400, 'invalid_request'],
    ['an empty grant_type', 'grant_type=', FORM, 400, 'invalid_request'],
    ['an unknown grant_type', 'grant_type=password', FORM, 400, 'unsupported_grant_type'],
    ['another charset parameter', 'grant_type=x', `${FORM}; charset=UTF-8`, 400, 'unsupported_grant_type'],
    ['a parameter twice', 'grant_type=x&a=1&a=2', FORM, 400, 'invalid_request'],
    [
      '65 parameters',
      Array.from({ length: 65 }, (_, at) => `p${at}=1`).join('&'),
      FORM,
      400,
      'invalid_request',
    ],
    ['JSON', '{"grant_type":"x"}', 'application/json', 400, 'invalid_request'],
    ['a large body', `grant_type=${'x'.repeat(70_000)}`, FORM, 413, 'invalid_request'],
  ])(
    'errors below /svc/oauth have the format of RFC 6749: %s (contract 10)',
    async (_, body, type, status, error) => {
      const answer = await token(body, { 'content-type': type });
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'x-request-id': expect.any(String),
      });
    },
  );

  it('unknown addresses and methods of a protocol get its error (contract 10)', async () => {
    for (const [method, path] of [
      ['GET', '/svc/oauth/token'],
      ['POST', '/svc/oauth/authorize'],
      ['GET', '/svc/oauth'],
      ['POST', '/svc/oidc/unknown'],
    ] as const) {
      const answer = await ask(method, path);
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { error: 'not_found', error_description: expect.any(String) },
      ]);
    }
    const scim = await ask('GET', '/svc/scim/v2/Nothing');
    expect([scim.status, scim.headers['content-type'], scim.body]).toEqual([
      404,
      'application/scim+json; charset=utf-8',
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '404',
        detail: expect.any(String),
      },
    ]);
  });

  it('a page of another origin may ask without a preflight of the API (contract 10)', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const preflight = await ask('OPTIONS', '/svc/oauth/token', { headers });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    const answer = await token('grant_type=x', { origin: 'https://elsewhere.example' });
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type']);
  });

  it('a body that is not UTF-8 is malformed (contract 10)', async () => {
    const answer = await ask('POST', '/svc/oauth/token', {
      body: Buffer.from([0x61, 0x3d, 0xff]),
      headers: { 'content-type': FORM },
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['without SVC_PUBLIC_URL', {}, /SVC_PUBLIC_URL is not set: .*\/\.well-known documents respond with 404/],
    ['with http elsewhere', { SVC_PUBLIC_URL: 'http://lab.example' }, /SVC_PUBLIC_URL is not https: /],
  ])('%s, what needs it is not there, and one line says why (contract 10)', async (_, env, line) => {
    const server = await start({ env });
    const without = (method: string, path: string) =>
      call(server.url, method, path, {
        body: method === 'POST' ? 'grant_type=x' : undefined,
        headers: { 'content-type': FORM, origin: null },
      });
    for (const path of DOCUMENTS) expect((await without('GET', path)).status).toBe(404);
    for (const path of ['/svc/oidc/backchannel-logout', '/svc/oauth/authorize']) {
      expect((await without('POST', path)).status).toBe(404);
    }
    expect((await without('GET', '/svc/scim/v2/Users')).status).toBe(404);
    const answer = await without('POST', '/svc/oauth/token');
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type']);
    expect(
      server
        .output()
        .split('\n')
        .filter((each) => line.test(each)),
    ).toHaveLength(1);
    await server.stop();
  });

  it('http on loopback is a usable public address (contract 10)', async () => {
    const server = await start({ env: { SVC_PUBLIC_URL: 'http://localhost:4723' } });
    const answer = await call(server.url, 'GET', DOCUMENTS[0] ?? '');
    expect([answer.status, answer.body.issuer]).toEqual([200, 'http://localhost:4723/svc/oauth']);
    expect(server.output()).not.toContain('SVC_PUBLIC_URL is not');
    await server.stop();
  });
});
