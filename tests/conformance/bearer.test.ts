import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const MCP = ['auto:use', 'svc:devices:read', 'svc:devices:lock', 'svc:analytics:read', 'svc:recordings'];
const SCOPES = ['read', 'sessions', 'devices', 'admin'];

/** The MCP scopes that each API scope allows (specification 5.3.4). */
const ALLOWED: Record<string, string[]> = {
  read: ['svc:devices:read', 'svc:analytics:read'],
  sessions: ['auto:use', 'svc:recordings'],
  devices: ['svc:devices:read', 'svc:devices:lock', 'svc:recordings'],
  admin: MCP,
};

const subsets = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_, index) => bits & (1 << index)));

describe.each(targets)('bearer tokens on $name', ({ start }) => {
  let world: World;
  let member: Person;

  beforeAll(async () => {
    world = await World.start(start, { SVC_MCP_TOKEN_TTL_SEC: '7200' });
    member = await world.person('Member');
  });
  afterAll(() => world.server.stop());

  const mint = (as: Credentials, json: object = {}) => world.api('POST', '/auth/token', { as, json });
  const scopesOf = async (token: string) =>
    (await world.ok('GET', '/auth/me', { as: { authorization: `Bearer ${token}` } })).scopes;
  const keySet = async () => createLocalJWKSet(await world.ok('GET', '/auth/jwks.json'));

  it('svc-rest is the default, lives an hour and carries the scopes of its source (spec 5.3, 2 Bearer token, 4 token)', async () => {
    for (const json of [
      {},
      { audience: 'svc-rest' },
      { scopes: ['admin', 'x'] },
      { audience: 'svc-rest', scopes: [] },
    ]) {
      const answer = await mint(member.as, json);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          token: expect.any(String),
          expiresIn: 3600,
          audience: 'svc-rest',
          scopes: ['read', 'sessions', 'devices'],
        },
      ]);
    }
  });

  it('tokens are ES256 with a thumbprint, a type and verifiable with the published keys (spec 2 Bearer token, 4 jwks, contract 4, 2 jwks.json)', async () => {
    const { token } = (await mint(member.as)).body;
    const keys = await world.ok('GET', '/auth/jwks.json');
    expect(keys.keys.map((key: object) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
    const { payload, protectedHeader } = await jwtVerify(token, await keySet(), {
      issuer: 'svc',
      audience: 'svc-rest',
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys.keys[0].kid });
    expect(payload).toEqual({
      iss: 'svc',
      sub: member.id,
      aud: 'svc-rest',
      iat: expect.any(Number),
      exp: (payload.iat as number) + 3600,
      jti: expect.any(String),
      scopes: ['read', 'sessions', 'devices'],
      sie: expect.any(Number),
      sign_in: expect.any(String),
      parents: [expect.any(String)],
    });
  });

  it('svc-mcp lives as configured and brings a session token of the same life (spec 5.3, 2 Bearer token, 4 token)', async () => {
    const { body } = await mint(member.as, { audience: 'svc-mcp' });
    expect(body).toMatchObject({
      expiresIn: 7200,
      audience: 'svc-mcp',
      scopes: ['auto:use', 'svc:devices:read'],
    });
    const [bearer, session] = [decodeJwt(body.token), decodeJwt(body.sessionToken)];
    expect(bearer).toMatchObject({
      aud: 'svc-mcp',
      scope: 'auto:use svc:devices:read',
      scopes: ['sessions'],
    });
    expect(decodeProtectedHeader(body.sessionToken).typ).toBe('session+jwt');
    expect(session).toMatchObject({ aud: 'svc-session', scopes: ['sessions'], sub: member.id });
    expect(Math.abs((session.exp as number) - (bearer.exp as number))).toBeLessThanOrEqual(1);
    expect(await world.asks({ authorization: `Bearer ${body.sessionToken}` })).toBe('401 invalid token');
  });

  it('a page gets a session token for 11 minutes, a key or a bearer token gets none (spec 2 Session token, contract 4, 6)', async () => {
    const ask = (as: Credentials, headers?: Record<string, string>) =>
      world.api('POST', '/auth/session-token', { as, ...(headers === undefined ? {} : { headers }) });
    for (const { id, as } of [member, world.root]) {
      const { status, body } = await ask(as);
      expect([status, body]).toEqual([200, { sessionToken: expect.any(String), expiresIn: 660 }]);
      expect(decodeProtectedHeader(body.sessionToken).typ).toBe('session+jwt');
      const claims = decodeJwt(body.sessionToken);
      expect(claims).toMatchObject({ aud: 'svc-session', scopes: ['sessions'], sub: id });
      expect(claims).not.toHaveProperty('agent');
      expect(await world.asks({ authorization: `Bearer ${body.sessionToken}` })).toBe('401 invalid token');
    }
    const pair = await world.pair(member.as, { scopes: ['sessions'] });
    const { token } = (await mint(member.as)).body;
    for (const as of [pair.as, { authorization: `Bearer ${token}` }])
      expectError(await ask(as), 'sign_in_required');
    // A sign-in that a program opened with its token must not hide that the program started a session.
    const ofProgram = (await mint(world.root.as)).body;
    const opened = await world.api('POST', '/auth/dashboard-session', {
      as: { authorization: `Bearer ${ofProgram.token}` },
    });
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    expectError(await ask({ cookie: cookie.split(';', 1)[0] as string }), 'sign_in_required');
    expect((await ask(member.as, { origin: 'https://elsewhere.test' })).status).toBe(403);
    const { items } = await world.ok('GET', '/audit?limit=20', { as: world.root.as });
    expect(items).toContainEqual(
      expect.objectContaining({
        event: 'authn_token_created',
        actor: member.id,
        reason: expect.stringMatching(/^svc-session, made with sign-in/),
      }),
    );
  });

  it.each(subsets(SCOPES).slice(1))(
    'the MCP table for a key with %s %s %s %s (spec 5.3.4, 5.3.5, 5.3.6, 2 MCP scopes, 4 token)',
    async (...held) => {
      const scopes = held.filter((scope): scope is string => scope !== undefined);
      const allowed = new Set(scopes.flatMap((scope) => ALLOWED[scope] ?? []));
      const key = await world.apiKey(world.root.as, { scopes, rateLimit: 10_000 });
      for (const asked of subsets(MCP)) {
        const answer = await mint(key.as, { audience: 'svc-mcp', scopes: asked });
        const granted =
          asked.length > 0 ? asked : ['auto:use', 'svc:devices:read'].filter((each) => allowed.has(each));
        const beyond = asked.filter((each) => !allowed.has(each));
        if (beyond.length > 0 || granted.length === 0) {
          expectError(answer, 'scope_exceeds_key');
          expect(answer.body.scopes).toEqual(beyond);
          continue;
        }
        expect(answer.body.scopes).toEqual(granted);
        const all = asked.length === MCP.length && scopes.includes('admin');
        const api = [
          ...(granted.includes('auto:use') ? ['sessions'] : []),
          ...(granted.includes('svc:devices:lock') ? ['devices'] : []),
          ...(all ? ['admin'] : []),
        ];
        expect(decodeJwt(answer.body.token).scopes).toEqual(api);
        const session = answer.body.sessionToken && decodeJwt(answer.body.sessionToken).scopes;
        const wholesale = scopes.includes('admin') && (all || asked.length === 0);
        const expected = wholesale ? ['sessions', 'admin'] : ['sessions'];
        expect(session).toEqual(granted.includes('auto:use') ? expected : undefined);
      }
    },
  );

  it('an unknown scope is told before one that is beyond (spec 5.3.6, 4 token)', async () => {
    const answer = await mint(member.as, {
      audience: 'svc-mcp',
      scopes: ['svc:all', 'svc:recordings', 'read'],
    });
    expectError(answer, 'unknown_scope');
    expect(answer.body.scopes).toEqual(['svc:all', 'read']);
    expectError(await mint(member.as, { audience: 'svc-session' }), 'unknown_audience');
  });

  it('a bearer token does not outlast an expiring source, and chains only get shorter (spec 5.3.1)', async () => {
    const expiresAt = new Date(Date.now() + 100_000).toISOString();
    const pair = await world.pair(member.as, { expiresAt });
    for (const json of [{}, { audience: 'svc-mcp' }]) {
      const first = (await mint(pair.as, json)).body;
      expect(first.expiresIn).toBeGreaterThan(90);
      expect(first.expiresIn).toBeLessThanOrEqual(100);
      expect((decodeJwt(first.token).exp as number) * 1000).toBeLessThanOrEqual(Date.parse(expiresAt));
      const second = (await mint({ authorization: `Bearer ${first.token}` })).body;
      expect(decodeJwt(second.token).exp as number).toBeLessThanOrEqual(decodeJwt(first.token).exp as number);
      expect(second.expiresIn).toBeLessThanOrEqual(first.expiresIn);
    }
  });

  it('a credential with less than one second left mints nothing (contract 4)', async () => {
    const expiresAt = new Date(Date.now() + 900).toISOString();
    const pair = await world.pair(member.as, { expiresAt });
    const answer = await mint(pair.as);
    expectError(answer, answer.status === 401 ? 'invalid credentials' : 'expiry_exceeds_credential');
    await expect.poll(() => world.asks(pair.as), { timeout: 5000 }).toBe('401 invalid credentials');
  });

  it('a bearer token mints what it may itself, no more (spec 5.3)', async () => {
    const mcp = (await mint(world.root.as, { audience: 'svc-mcp', scopes: ['svc:devices:lock'] })).body.token;
    expect(await scopesOf(mcp)).toEqual(['devices']);
    const rest = (await mint({ authorization: `Bearer ${mcp}` })).body;
    expect(rest.scopes).toEqual(['devices']);
    expectError(
      await mint({ authorization: `Bearer ${mcp}` }, { audience: 'svc-mcp', scopes: ['auto:use'] }),
      'scope_exceeds_key',
    );
  });

  it('a bearer token is its user, with the kind bearer and its own expiry (spec 5.3)', async () => {
    const as = await world.bearer(member.as);
    const me = await world.ok('GET', '/auth/me', { as });
    expect(me).toMatchObject({ id: member.id, kind: 'bearer' });
    const { exp } = decodeJwt((as.authorization as string).slice('Bearer '.length));
    expect(Date.parse(me.expiresAt)).toBe((exp as number) * 1000);
  });
});
