import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { filled, routes } from './support/routes.ts';
import { type Credentials, type Pair, targets, World } from './support/world.ts';

const REQUIRED = 'CSRF: Origin or Referer header required';
const INVALID = 'CSRF: invalid Origin/Referer';
const MISMATCH = 'CSRF: Origin/Referer mismatch';

describe.each(targets)('origin check on $name', ({ start }) => {
  let world: World;
  let host: string;
  let pair: Pair;
  let bearer: Credentials;

  beforeAll(async () => {
    world = await World.start(start, {
      SVC_ALLOWED_ORIGINS: 'https://Lab.Example, http://plain.example:8080,bare.example',
    });
    host = new URL(world.url).host;
    pair = await world.pair(world.root.as, { scopes: ['read'] });
    bearer = await world.bearer(world.root.as);
  });
  afterAll(() => world.server.stop());

  /** @returns the outcome of a sign-out with these headers */
  async function signOut(headers: Record<string, string | null>): Promise<string> {
    const answer = await world.api('POST', '/auth/logout', { headers: { origin: null, ...headers } });
    return answer.status === 204 ? 'passes' : answer.body.error;
  }

  it.each(
    routes
      .filter(({ method }) => method !== 'GET')
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s needs an origin (spec 5.6.1)', async (_, route) => {
    const without = { as: world.root.as, headers: { origin: null } };
    expectError(await world.api(route.method, filled(route), without), REQUIRED);
    const foreign = { as: world.root.as, headers: { origin: 'https://evil.test' } };
    expectError(await world.api(route.method, filled(route), foreign), MISMATCH);
  });

  it('the host the server was reached at passes, by Origin or by Referer alone (spec 5.6.1)', async () => {
    expect(await signOut({ origin: `http://${host}` })).toBe('passes');
    expect(await signOut({ referer: `http://${host}/svc/login?next=/` })).toBe('passes');
    expect(await signOut({ referer: 'https://evil.test/svc/login' })).toBe(MISMATCH);
  });

  it('Origin decides when both are sent (spec 5.6.1)', async () => {
    expect(await signOut({ origin: 'https://evil.test', referer: `http://${host}/` })).toBe(MISMATCH);
    expect(await signOut({ origin: 'null', referer: `http://${host}/` })).toBe(INVALID);
  });

  it.each([
    ['LAB.internal:8080', 'http://lab.INTERNAL:8080', 'passes'],
    ['lab.internal', 'http://lab.internal:80', 'passes'],
    ['lab.internal:80', 'http://lab.internal', 'passes'],
    ['lab.internal:443', 'https://lab.internal', 'passes'],
    ['lab.internal', 'https://lab.internal:443', 'passes'],
    ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080', 'passes'],
    ['lab.internal:8080', 'http://lab.internal', MISMATCH],
    ['lab.internal', 'http://lab.internal:8080', MISMATCH],
    ['lab.internal', 'http://lab.internal.evil.test', MISMATCH],
    ['lab.internal', 'http://evil.test/lab.internal', MISMATCH],
    ['lab.internal', 'http://lab.internal@evil.test', MISMATCH],
    ['lab.internal', 'http://sub.lab.internal', MISMATCH],
  ])('reached at %s, asked from %s: %s (spec 5.6.1)', async (reached, origin, outcome) => {
    expect(await signOut({ host: reached, origin })).toBe(outcome);
  });

  it.each([
    'null',
    'lab',
    '',
    'http://',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'chrome-extension://abc',
    '//lab',
  ])('an origin that is none is refused: %s (spec 5.6.2)', async (origin) => {
    expect([INVALID, REQUIRED]).toContain(await signOut({ origin }));
  });

  it.each([
    ['https://lab.example', 'passes'],
    ['https://LAB.EXAMPLE:443', 'passes'],
    ['http://lab.example', MISMATCH],
    ['https://lab.example:8443', MISMATCH],
    ['http://plain.example:8080', 'passes'],
    ['http://plain.example', MISMATCH],
    ['http://bare.example', 'passes'],
    ['https://bare.example', 'passes'],
    ['https://bare.example:8443', MISMATCH],
  ])('the origin %s with a list of allowed origins: %s (spec 5.6.3)', async (origin, outcome) => {
    expect(await signOut({ origin })).toBe(outcome);
    expect(await signOut({ referer: `${origin}/some/page` })).toBe(outcome);
  });

  it('a change from another site is refused even if its Origin looks right (contract 1)', async () => {
    expect(await signOut({ origin: `http://${host}`, 'sec-fetch-site': 'cross-site' })).toBe(MISMATCH);
    expect(await signOut({ origin: 'https://lab.example', 'sec-fetch-site': 'cross-site' })).toBe('passes');
    expect(await signOut({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe('passes');
  });

  it('the access key and a bearer token lift the check, the token header alone does not (contract 1)', async () => {
    const headers = { origin: null };
    const ask = (as: Credentials) => world.api('POST', '/auth/token', { as, headers });
    expect((await ask(pair.as)).status).toBe(200);
    expect((await ask(bearer)).status).toBe(200);
    expectError(await ask({ 'x-svc-access-key': '' }), 'invalid credentials');
    expectError(await ask({ authorization: 'Bearer' }), 'invalid token');
    expectError(await ask({ 'x-svc-token': pair.token }), REQUIRED);
    expectError(await ask({ authorization: 'Basic YTpi' }), REQUIRED);
  });

  it('reading needs no origin (spec 5.6.1)', async () => {
    for (const origin of [null, 'https://evil.test', 'null']) {
      const answer = await world.api('GET', '/auth/me', { as: world.root.as, headers: { origin } });
      expect(answer.status).toBe(200);
    }
  });

  const preflight = (origin: string | null) =>
    world.api('OPTIONS', '/auth/token', {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });

  it.each(['https://lab.example', 'http://plain.example:8080', 'http://bare.example'])(
    'a preflight from %s is answered (spec 5.6.3)',
    async (origin) => {
      const { status, headers } = await preflight(origin);
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      });
      const allowed = headers['access-control-allow-headers']?.split(', ').toSorted();
      expect(allowed).toEqual([
        'authorization',
        'content-type',
        'x-appium-is-sensitive',
        'x-auto-is-sensitive',
        'x-request-id',
        'x-svc-access-key',
        'x-svc-token',
      ]);
      expect(headers.vary).toMatch(/origin/i);
    },
  );

  it.each(['https://evil.test', 'http://lab.example', 'null', null])(
    'a preflight from %s is not (spec 5.6.3)',
    async (origin) => {
      const answer = await preflight(origin);
      expectError(answer, 'unauthenticated');
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );

  it('refusals carry what a listed page needs to read them, and nothing for anyone else (spec 5.6.3)', async () => {
    const listed = await world.api('GET', '/auth/me', { headers: { origin: 'https://lab.example' } });
    expect(listed.headers['access-control-allow-origin']).toBe('https://lab.example');
    expect(listed.headers['access-control-expose-headers']).toContain('x-ratelimit-remaining');
    const other = await world.api('GET', '/auth/me', { headers: { origin: 'https://evil.test' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('an OPTIONS that is no preflight is a request like any other (contract 1)', async () => {
    expectError(await world.api('OPTIONS', '/auth/me', { headers: { origin: null } }), 'unauthenticated');
    expectError(await world.api('OPTIONS', '/auth/me', { as: world.root.as }), 'not_found');
  });
});
