import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectSane } from './support/errors.ts';
import { EveryRoute } from './support/every-route.ts';
import { raw } from './support/raw.ts';
import { routes } from './support/routes.ts';
import { type Pair, targets, World } from './support/world.ts';

describe.each(targets)('bad requests on $name', ({ start, name }) => {
  let world: World;
  let everyRoute: EveryRoute;
  let pair: Pair;

  beforeAll(async () => {
    world = await World.start(start);
    everyRoute = await EveryRoute.open(world);
    pair = await world.pair(world.root.as);
  });
  afterAll(() => world.server.stop());

  it.each([
    'x',
    // A path has up to three ids, and Node.js accepts 16 KiB of headers.
    'x'.repeat(5000),
    '%00',
    'a%00b',
    '%0d%0aset-cookie:x=y',
    '%2e%2e%2f%2e%2e%2fauth%2fme',
    '%F0%9F%98%80',
    "'%20or%20'1'='1",
    '__proto__',
    'constructor',
    'null',
    '-1',
    '1e309',
    '*',
    '%25',
  ])('an id nobody has is unknown: %s (contract 1)', async (id) => {
    const withId = routes.filter(({ path }) => path.includes(':'));
    for (const route of withId) {
      const answer = await everyRoute.ask(route, { id, json: {} });
      expectError(answer);
      // A route may check its fields, or require a ticket, before it looks for the object.
      expect(route.takesTicket ? [400, 401] : [400, 404]).toContain(answer.status);
    }
    expect(withId.length).toBeGreaterThan(5);
  });

  it.each(['%zz', '%C0%AF', '%', '%E0%A4%A'])('a path that cannot be read: %s (contract 1)', async (id) => {
    for (const route of routes.filter(({ path }) => path.includes(':'))) {
      expectError(await everyRoute.ask(route, { id }), 'bad_request');
    }
  });

  it.each([
    '?',
    '?__proto__[x]=1&constructor=1',
    '?limit=%00',
    '?limit=-1&before=x',
    '?limit=1&limit=2',
    '?limit[]=1',
    '?before=99999999999999999999',
    '?a=%zz',
    `?${'a=1&'.repeat(2000)}`,
    '?=&&==&',
    '?limit=1;drop%20table%20audit',
  ])('an odd query breaks no route: %.40s (contract 1)', async (query) => {
    for (const route of routes) expectSane(await everyRoute.ask(route, { query, body: '{"broken' }));
  });

  it.each(['PUT', 'PROPFIND', 'TRACE', 'SEARCH', 'PURGE', 'REPORT', 'LINK'])(
    'a method no route has is unknown: %s (contract 1)',
    async (method) => {
      expectError(await world.api(method, '/auth/me', { as: pair.as }), 'not_found');
      expectError(await world.api(method, '/auth/me'), 'unauthenticated');
    },
  );

  it.each([
    '',
    '/',
    '/auth/me/',
    '//auth/me',
    '/auth//me',
    '/AUTH/ME',
    '/auth/me;x',
    '/auth/%6de/x',
    '/auth/me%20',
  ])('a path close to one we have is unknown: %s (contract 1)', async (path) => {
    expectError(await world.api('GET', path, { as: pair.as }), 'not_found');
    expectError(await world.api('GET', path), 'unauthenticated');
  });

  it.each(['x-svc-token', 'x-svc-access-key'] as const)(
    '%s sent twice fits nothing (contract 1)',
    async (header) => {
      const twice = { ...pair.as, [header]: [pair.as[header] as string, pair.as[header] as string] };
      expectError(await world.api('GET', '/auth/me', { as: twice }), 'invalid credentials');
    },
  );

  it('two origins are none (contract 1)', async () => {
    const lines = `Host: ${new URL(world.url).host}\r\nOrigin: ${world.url}\r\nOrigin: ${world.url}\r\n`;
    const answer = await raw(
      world.url,
      `POST /svc/api/auth/logout HTTP/1.1\r\n${lines}Content-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*"CSRF: invalid Origin\/Referer"/);
  });

  it('a credential in lower-case, padded or with a NUL is not the same credential (contract 1)', async () => {
    const { 'x-svc-access-key': accessKey = '', 'x-svc-token': token = '' } = pair.as;
    const close = [
      token.toLowerCase(),
      token.slice(0, -1),
      `${token}0`,
      token.replace('svct_', 'svc_'),
      '',
      'x',
    ];
    for (const wrong of close) {
      const as = { 'x-svc-access-key': accessKey, 'x-svc-token': wrong };
      expectError(await world.api('GET', '/auth/me', { as }), 'invalid credentials');
    }
    const as = { 'x-svc-access-key': accessKey.toLowerCase(), 'x-svc-token': token };
    expectError(await world.api('GET', '/auth/me', { as }), 'invalid credentials');
  });

  it('header values of 8 KB are refused like any wrong ones (contract 1)', async () => {
    const long = 'x'.repeat(8000);
    expect([
      await world.asks({ 'x-svc-access-key': long, 'x-svc-token': long }),
      await world.asks({ authorization: `Bearer ${long}` }),
      await world.asks({ cookie: `svc_dashboard_session=${long}` }),
      await world.asks({ cookie: `${'a=b; '.repeat(1500)}svc_dashboard_session=x` }),
    ]).toEqual([
      '401 invalid credentials',
      '401 invalid token',
      '401 invalid session',
      '401 invalid session',
    ]);
  });

  it('bytes that are not HTTP get a 4xx, and the connection is closed (contract 1)', async () => {
    const host = `Host: ${new URL(world.url).host}`;
    const answers = await Promise.all([
      raw(world.url, 'nonsense\r\n\r\n'),
      raw(world.url, `GET /svc/api/auth/me HTTP/1.1\r\n${host}\r\nX-A: a\0b\r\n\r\n`),
      raw(world.url, `GET /svc/api/auth/me HTTP/1.1\r\n${host}\r\nX-A: ${'x'.repeat(30_000)}\r\n\r\n`),
      raw(world.url, `GET /svc/api/auth/me HTTP/1.1\r\nConnection: close\r\n\r\n`),
      raw(
        world.url,
        `POST /svc/api/auth/login HTTP/1.1\r\n${host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ]);
    expect(answers.map((answer) => answer.slice(0, 10))).toEqual(answers.map(() => 'HTTP/1.1 4'));
    if (name === 'api')
      expect(answers[0]).toContain('{"error":"bad_request","message":"The request is not valid."}');
  });

  it('bytes after a body are the next request, not part of it (contract 1)', async () => {
    const host = `Host: ${new URL(world.url).host}`;
    const first = `POST /svc/api/auth/token HTTP/1.1\r\n${host}\r\nContent-Length: 5\r\n\r\nhello`;
    const second = `GET /svc/api/auth/me HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const answer = await raw(world.url, first + second);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 401']);
  });

  it('the server still stands (contract 1)', async () => {
    expect((await world.api('GET', '/health')).body).toEqual({ ok: true });
    expect(world.server.output()).not.toContain('Unexpected error');
  });
});
