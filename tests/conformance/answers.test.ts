import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { filled, routes } from './support/routes.ts';
import { targets, World } from './support/world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(targets)('answers on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  it.each(
    routes
      .filter(({ isPublic }) => !isPublic)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s asks for a credential (spec 4)', async (_, route) => {
    const word = route.takesTicket ? 'invalid ticket' : 'unauthenticated';
    expectError(await world.api(route.method, filled(route)), word);
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is not to be stored and keeps the request id (contract 1)',
    async (_, route) => {
      const { headers } = await world.api(route.method, filled(route), {
        headers: { 'x-request-id': 'my.Id_1-2' },
      });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': 'my.Id_1-2' });
    },
  );

  it.each(['x'.repeat(129), 'a b', 'a,b', 'ä', '<script>', '../x', ''])(
    'a request id that could do harm in a log is replaced: %s (contract 1)',
    async (given) => {
      const headers = { 'x-request-id': Buffer.from(given).toString('latin1') };
      const answers = [
        await world.api('GET', '/health', { headers }),
        await world.api('GET', '/health', { headers }),
      ];
      const ids = answers.map((answer) => answer.headers['x-request-id']);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-z]{1,10}$/);
      expect(ids[0]).not.toBe(ids[1]);
    },
  );

  it.each(['x', 'x'.repeat(128), '0', '.', '-_.Az09'])(
    'a harmless request id is kept: %s (contract 1)',
    async (id) => {
      const answer = await world.api('GET', '/health', { headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toBe(id);
    },
  );

  it('every request gets an id of its own (contract 1)', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.api('GET', '/health')));
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(20);
  });

  it('JSON answers say so, with the charset (contract 1)', async () => {
    const { headers } = await world.api('GET', '/auth/me', { as: world.root.as });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('HEAD is answered like GET, without the body (contract 1)', async () => {
    const head = await world.api('HEAD', '/auth/me', { as: world.root.as });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await world.api('HEAD', '/users')).status).toBe(401);
  });

  it('the answer of /auth/me is the caller’s account with its access key and scopes (spec 2 User, 4 me, contract 2 me)', async () => {
    const { body } = await world.api('GET', '/auth/me', { as: world.root.as });
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      email: 'root@lab.test',
      name: 'Super admin',
      role: 'Super admin',
      status: 'Active',
      accessKey: expect.stringMatching(/^svc_[0-9A-Za-z]{24}$/),
      scopes: ['read', 'sessions', 'devices', 'admin'],
      teams: [],
      kind: 'sign-in',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      authDisabled: false,
      passwordChangeRequired: false,
      passwordIsTemporary: false,
      builtInPassword: false,
    });
  });

  it('health, readiness and options ask for nothing (spec 4 health, contract 2 health, 2 options)', async () => {
    const answers = await Promise.all(
      ['/health', '/health/ready', '/auth/options'].map((path) => world.api('GET', path)),
    );
    expect(answers.map(({ body }) => body)).toEqual([
      { ok: true },
      { ok: true, checks: { database: true, signingKey: true, migrations: true } },
      {
        passwordReset: 'admin',
        authDisabled: false,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        oidc: null,
        passkeys: false,
        labName: null,
        labLogo: null,
        passwordSignIn: true,
      },
    ]);
  });

  it('capabilities tell whether commands are checked (spec 4 capabilities, contract 2 /capabilities)', async () => {
    const { body } = await world.api('GET', '/capabilities', { as: world.root.as });
    expect(body).toMatchObject({
      version: expect.any(String),
      features: {
        commandAuth: false,
        sessionTokenGate: false,
        bearerAuth: true,
        streamTickets: expect.any(Boolean),
        mcpScopedTokens: true,
        liveEvents: true,
        scim: false,
      },
    });
  });

  it('the access matrix lists every route with who gets in (contract 2)', async () => {
    const matrix = await world.ok('GET', '/access-matrix', { as: world.root.as });
    expect(matrix.routes).toHaveLength(routes.length);
    expect(matrix.routes.find((row: { path: string }) => row.path === '/svc/api/users')).toMatchObject({
      role: 'Admin',
      scope: 'admin',
      allowed: { Member: [], Admin: ['admin'], 'Super admin': ['admin'] },
    });
  });
});
