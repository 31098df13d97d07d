import { type Access, ADMIN, ANY_CALLER, API_PREFIX, PUBLIC, routes, WELL_KNOWN } from '@svc/contract';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { guardRoutes } from '../src/admission/guard.ts';
import { handle } from '../src/http/handle.ts';
import type { HttpContext } from '../src/http/http-context.ts';
import { checkComplete, collectRoutes } from '../src/http/route-table.ts';

const answer = async () => ({});

describe('route table', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)(
    'a %s route below /svc/api without an access stops the start (contract 1)',
    (method) => {
      const app = Fastify();
      collectRoutes(app);
      expect(() => app.route({ method, url: '/svc/api/open', handler: answer })).toThrow(
        `${method} /svc/api/open declares no access`,
      );
    },
  );

  it('a route in a plugin without an access also stops the start, although its prefix comes later (contract 1)', async () => {
    const app = Fastify();
    collectRoutes(app);
    app.register(
      async (scope) => {
        scope.get('/open', answer);
      },
      { prefix: '/svc/api' },
    );
    await expect(app.ready()).rejects.toThrow('GET /svc/api/open declares no access');
  });

  it.each(['/control/:udid/swipe', '/session/:id/recording', '/leases/all', '/phones/:udid'])(
    'one about phones or sessions that does not say who may call it on a node stops the start: %s (contract 8.3)',
    (path) => {
      const app = Fastify();
      collectRoutes(app);
      const url = `/svc/api${path}`;
      const add = (access: Access) => app.route({ method: 'GET', url, config: { access }, handler: answer });
      expect(() => add(ANY_CALLER)).toThrow(`GET ${url} does not say who may call it on a node`);
      expect(() => add({ accepts: [{ by: 'ticket', audience: 'svc-stream' }] })).toThrow(
        `GET ${url} does not say who may call it on a node`,
      );
      expect(() => add({ ...ANY_CALLER, atNode: 'own' })).not.toThrow();
    },
  );

  it('rows say access, category and whether the origin is checked (contract 1)', async () => {
    const app = Fastify();
    const rows = collectRoutes(app);
    app.get('/svc/api/a', { config: { access: PUBLIC } }, answer);
    app.post('/svc/api/b', { config: { access: ADMIN, category: 'ai' } }, answer);
    app.delete('/svc/api/c', { config: { access: ADMIN } }, answer);
    await app.ready();
    expect(rows).toEqual([
      { method: 'GET', path: '/svc/api/a', access: PUBLIC, category: 'read', originCheck: false },
      { method: 'POST', path: '/svc/api/b', access: ADMIN, category: 'ai', originCheck: true },
      { method: 'DELETE', path: '/svc/api/c', access: ADMIN, category: 'change', originCheck: true },
    ]);
  });

  it('a route of the contract that nothing serves stops the start, by name (contract 2)', async () => {
    const app = Fastify();
    const rows = collectRoutes(app);
    await app.register(async (api) => handle(api, routes.health, () => ({ ok: true })), {
      prefix: '/svc/api',
    });
    await app.ready();
    expect(() => checkComplete(rows)).toThrow('GET /svc/api/health/ready has no handler');
  });

  it('a route that is not in the contract is not registered by the helper (contract 2)', () => {
    const stray = { ...routes.health, path: '/stray' } as const;
    expect(() => handle(Fastify(), stray, () => ({ ok: true }))).toThrow(
      "GET /stray is not in the contract's routes",
    );
  });

  it('fields an answer does not declare never leave (contract 1)', async () => {
    const app = Fastify();
    const answer = { ok: true, passwordHash: 'x' };
    await app.register(async (api) => handle(api, routes.health, () => answer), { prefix: '/svc/api' });
    expect((await app.inject('/svc/api/health')).json()).toEqual({ ok: true });
  });

  it.each(['/svc/api', '/svc/api/', '/svc/api*', '/svc/api:name', '/svc/api/*'])(
    '%s is below /svc/api, whatever the pattern (contract 1)',
    (url) => {
      const app = Fastify();
      collectRoutes(app);
      expect(() => app.route({ method: 'GET', url, handler: answer })).toThrow('declares no access');
    },
  );

  it('a route of a protocol without a definition stops the start (contract 10)', () => {
    const app = Fastify();
    collectRoutes(app);
    for (const url of [
      '/svc/oauth/token',
      '/svc/scim/v2/Users',
      '/svc/mcp',
      '/svc/oidc/x',
      WELL_KNOWN.apiResource,
    ]) {
      expect(() => app.route({ method: 'POST', url, handler: answer })).toThrow(
        `POST ${url} declares no access`,
      );
    }
    expect(() => app.get('/svc/oauth-help', answer)).not.toThrow();
  });

  it('a route of a protocol that nothing serves stops the start, by name (contract 10)', () => {
    const rows = Object.values(routes).map(({ method, path, access, category }) => ({
      ...{ method, path: `${API_PREFIX}${path}`, access, category },
      originCheck: false,
    }));
    expect(() => checkComplete(rows)).toThrow(
      'GET /.well-known/oauth-authorization-server/svc/oauth has no handler',
    );
  });

  it('the guard checks every route that declares an access, wherever it is (contract 1)', () => {
    const app = Fastify();
    const services = { metrics: {}, modules: {}, config: {} };
    guardRoutes(app, { services } as unknown as HttpContext);
    const guards = new Map<string, number>();
    app.addHook('onRoute', ({ url, onRequest = [] }) => {
      guards.set(url, [onRequest].flat().length);
    });
    app.get('/elsewhere', { config: { access: ANY_CALLER } }, answer);
    app.get('/svc/login', answer);
    expect([...guards]).toEqual([
      ['/elsewhere', 1],
      ['/svc/login', 0],
    ]);
  });

  it('pages outside /svc/api need none (contract 1)', () => {
    const app = Fastify();
    const rows = collectRoutes(app);
    app.get('/svc/login', answer);
    app.get('/svc/api-keys', answer);
    expect(rows).toEqual([]);
  });
});
