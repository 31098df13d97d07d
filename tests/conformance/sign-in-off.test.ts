import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvents } from '../support/event-stream.ts';
import { upgrade } from '../support/web-socket.ts';
import { call } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { filled, routes } from './support/routes.ts';
import { targets, World } from './support/world.ts';

describe.each(targets)('sign-in turned off on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, {
      SVC_AUTH_DISABLED: 'true',
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_PUBLIC_URL: 'https://lab.example',
    });
  });
  afterAll(() => world.server.stop());

  it('the log says so (spec 5.12)', () => {
    expect(world.server.output()).toContain('Authentication is DISABLED');
  });

  it.each([
    ['no credential', {}],
    ['a wrong pair', { 'x-svc-access-key': 'x', 'x-svc-token': 'x' }],
    ['a wrong bearer token', { authorization: 'Bearer x' }],
    ['a wrong cookie', { cookie: 'svc_dashboard_session=x' }],
  ])('everybody is a Super admin, with %s (spec 5.12)', async (_, as) => {
    const { body } = await world.api('GET', '/auth/me', { as });
    expect(body).toMatchObject({
      role: 'Super admin',
      scopes: ['read', 'sessions', 'devices', 'admin'],
      kind: 'none',
      expiresAt: null,
      authDisabled: true,
    });
  });

  // The stream of a link takes the ticket of the opened link, which names no caller.
  const byCaller = routes.filter(({ takesTicket, path }) => !takesTicket && path !== '/watch/stream');
  it.each(byCaller.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses nobody for who they are or where they come from (spec 5.12, 5.6.4)',
    async (_, route) => {
      for (const origin of [null, 'https://evil.test']) {
        const { status } = await world.api(route.method, filled(route), {
          body: 'x',
          headers: { origin, 'content-type': 'text/plain' },
        });
        expect([401, 403]).not.toContain(status);
      }
    },
  );

  it('a token for MCP that comes from no credential has no client_id (contract 10.4)', async () => {
    const introspect = async (token: string) =>
      (
        await call(world.url, 'POST', '/svc/oauth/introspect', {
          body: new URLSearchParams({ token }).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin: null },
        })
      ).body;
    const minted = await world.ok('POST', '/auth/token', { json: { audience: 'svc-mcp' } });
    const bearer = await introspect(minted.token);
    expect(bearer).toMatchObject({ active: true, aud: 'svc-mcp', sub: world.root.id });
    expect(bearer).not.toHaveProperty('client_id');
    expect(await introspect(minted.sessionToken)).toMatchObject({
      aud: 'svc-session',
      client_id: bearer.jti,
    });
  });

  it('actions count as those of the oldest Super admin while sign-in is off (spec 5.12)', async () => {
    const made = await world.ok('POST', '/profile/tokens', { json: { name: 'from nobody' } });
    expect(made.scopes).toEqual(['admin']);
    const { body } = await world.api('POST', '/auth/token', { json: {} });
    expect(body.scopes).toEqual(['read', 'sessions', 'devices', 'admin']);
    const { items } = await world.ok('GET', '/audit');
    expect(items[0]).toMatchObject({
      actor: world.root.id,
      reason: expect.stringContaining('sign-in turned off'),
    });
  });

  it('capabilities and options tell (spec 5.7, 5.12)', async () => {
    expect((await world.ok('GET', '/capabilities')).features.commandAuth).toBe(false);
    expect(await world.ok('GET', '/auth/options')).toMatchObject({ authDisabled: true });
  });

  it('live events still take a ticket (spec 5.12)', async () => {
    const stream = await openEvents(world.url, {});
    expect((await upgrade(world.url, '/svc/api/events')).status).toBe(401);
    await stream.close();
  });

  it('the limits stay (spec 8.1)', async () => {
    const { headers } = await world.api('GET', '/auth/me');
    expect(headers).toMatchObject({ 'x-ratelimit-category': 'read', 'x-ratelimit-capacity': '3000' });
  });
});

describe.each(targets)('sign-in not turned off on $name', ({ start }) => {
  let world: World;
  afterAll(() => world.server.stop());

  it('only exactly true turns it off (contract 5, spec 4 capabilities)', async () => {
    world = await World.start(start, { SVC_AUTH_DISABLED: 'TRUE', SVC_REQUIRE_COMMAND_AUTH: 'Yes' });
    expectError(await world.api('GET', '/auth/me'), 'unauthenticated');
    expect((await world.ok('GET', '/capabilities', { as: world.root.as })).features.commandAuth).toBe(true);
    expect(world.server.output()).not.toContain('Authentication is DISABLED');
  });
});
