import { describe, expect, it } from 'vitest';
import {
  atNode,
  ERROR_STATUS,
  errorsOf,
  operationIdOf,
  ROUTE_TAGS,
  type Route,
  routes,
  successStatus,
} from '../src/index.ts';

const listed: [string, Route][] = Object.entries(routes);

describe('routes', () => {
  it.each(listed)('%s names its parameters as its path does (contract 2)', (_, { path, params }) => {
    const declared =
      params !== undefined && 'properties' in params ? Object.keys(params.properties as object) : [];
    expect(declared).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  });

  it.each(listed)(
    '%s counts as what its method does, except a query that is sent with POST (specification 8.1.1)',
    (_, { method, path, category }) => {
      expect(category === 'read').toBe(method === 'GET' || path === '/devices/match');
    },
  );

  it.each(listed)('%s has one success and a line that says what it is for (contract 1)', (_, route) => {
    expect(route.webSocket ? [101] : [200, 201, 204, 302]).toContain(successStatus(route));
    expect(route.responses[204] ?? route.responses[302] ?? null).toBeNull();
    expect(route.summary).toMatch(/^[A-Z].{9,80}[^.]$/);
  });

  it('operations are named by a verb and what it acts on, each name once (contract 2)', () => {
    const ids = listed.map(([, route]) => operationIdOf(route));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(ids).toEqual(
      expect.arrayContaining(['getMe', 'listUsers', 'createUser', 'issueBearer', 'tapScreen']),
    );
  });

  // The remaining codes are sentences that the specification or the contract defines literally.
  it('codes that are not fixed are words joined by underscores (contract 1)', () => {
    const sentences = Object.keys(ERROR_STATUS).filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code));
    expect(sentences.toSorted()).toEqual([
      'CSRF: Origin or Referer header required',
      'CSRF: Origin/Referer mismatch',
      'CSRF: invalid Origin/Referer',
      'email and password required',
      'incorrect current password',
      'invalid argument',
      'invalid credentials',
      'invalid or expired token',
      'invalid session',
      'invalid ticket',
      'invalid token',
      'password has an unusable character',
      'password is too common',
      'password is too long',
      'password must be at least 8 characters',
      'rate limit exceeded',
      'super admin required',
      'too many login attempts',
      'too many password attempts',
      'too many reset requests',
    ]);
  });

  it('every route is under one tag (contract 2)', () => {
    const tagged = ROUTE_TAGS.flatMap((tag) => Object.keys(tag.routes));
    expect(tagged.toSorted()).toEqual(listed.map(([name]) => name).toSorted());
  });

  it.each(listed)('%s declares no refusal that follows from the rest of it (contract 1)', (_, route) => {
    const { errors: _declared, ...rest } = route;
    const derived = errorsOf(rest);
    expect((route.errors ?? []).filter((code) => derived.includes(code))).toEqual([]);
  });

  it('no address is there twice (contract 2)', () => {
    const addresses = listed.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('a node reserves everything below /control and /leases, recordings and the end of a session for its hub (contract 8.3)', () => {
    const open = listed.filter(([, { access }]) => atNode(access) === 'own').map(([name]) => name);
    const below = listed.filter(([, { path }]) =>
      /^\/(?:control|leases)(?:\/|$)|^\/session\/:id\/(?:recording|device_log|report|attach)(?:\/|$)/.test(
        path,
      ),
    );
    const closed = [...below.map(([name]) => name), 'endSession', 'releaseDevice'];
    expect(closed).toEqual(
      expect.arrayContaining(['typeText', 'issueStreamTicket', 'streamLogs', 'createLease']),
    );
    expect(closed.filter((name) => open.includes(name))).toEqual([]);
    for (const [name, route] of listed)
      expect([name, errorsOf(route).includes('managed_by_hub')]).toEqual([name, closed.includes(name)]);
  });

  it('a route that takes a password is marked as sensitive (specification 5.5.2)', () => {
    const takes = ({ body }: Route) =>
      /password/i.test(Object.keys((body as { properties?: object })?.properties ?? {}).join());
    expect(listed.filter(([, route]) => takes(route) && !route.sensitive)).toEqual([]);
  });
});
