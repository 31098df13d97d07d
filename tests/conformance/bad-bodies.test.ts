import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectSane } from './support/errors.ts';
import { EveryRoute } from './support/every-route.ts';
import { bodyFields, type Route, routes, takesFile } from './support/routes.ts';
import { targets, World } from './support/world.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Bodies that no route accepts, with the error code of the refusal. */
const INVALID: readonly [string, string, string | Uint8Array, Record<string, string>][] = [
  ['malformed JSON', 'bad_request', '{"email":', JSON_TYPE],
  ['no JSON at all', 'bad_request', 'email=a&password=b', JSON_TYPE],
  ['two JSON documents', 'bad_request', '{}{}', JSON_TYPE],
  ['a single NUL', 'bad_request', '\0', JSON_TYPE],
  ['100,000 unclosed brackets', 'bad_request', '['.repeat(100_000), JSON_TYPE],
  ['65 levels', 'bad_request', '{"a":'.repeat(65) + 1 + '}'.repeat(65), JSON_TYPE],
  ['20,001 values', 'bad_request', `{"a":[${Array(19_999).fill(0)}]}`, JSON_TYPE],
  ['a prototype as a key', 'bad_request', '{"__proto__":{"role":"Super admin"}}', JSON_TYPE],
  ['a constructor as a key', 'bad_request', '{"constructor":{"prototype":{"role":1}}}', JSON_TYPE],
  ['invalid UTF-8', 'bad_request', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), JSON_TYPE],
  ['UTF-16 said to be UTF-8', 'bad_request', Buffer.from('{}', 'utf16le'), JSON_TYPE],
  ['more than 1 MiB', 'body_too_large', `{"name":"${'x'.repeat(MIB)}"}`, JSON_TYPE],
  ['plain text', 'unsupported_media_type', '{}', { 'content-type': 'text/plain' }],
  ['a form', 'unsupported_media_type', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['XML', 'unsupported_media_type', '<a/>', { 'content-type': 'application/xml' }],
  ['a type without a slash', 'unsupported_media_type', '{}', { 'content-type': 'json' }],
  ['no type', 'unsupported_media_type', '{}', {}],
  ['UTF-16', 'unsupported_media_type', '{}', { 'content-type': 'application/json; charset=utf-16' }],
  ['Latin-1', 'unsupported_media_type', '{}', { 'content-type': 'application/json;charset="iso-8859-1"' }],
  ['gzip', 'unsupported_media_type', gzipSync('{}'), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ['brotli', 'unsupported_media_type', 'x', { ...JSON_TYPE, 'content-encoding': 'br' }],
];

describe.each(targets)('bad bodies on $name', ({ start }) => {
  let world: World;
  let everyRoute: EveryRoute;

  beforeAll(async () => {
    world = await World.start(start);
    everyRoute = await EveryRoute.open(world);
  });
  afterAll(() => world.server.stop());

  // Uploads have other tests for refused bodies, and requests of a forward-auth proxy never have a body.
  const readsNoBody = ({ path }: Route) => path.startsWith('/auth/verify');
  const changes = routes.filter(
    (route) => route.method !== 'GET' && !takesFile(route) && !readsNoBody(route),
  );

  it.each(INVALID)('%s is refused with %s on every route (contract 1)', async (_, error, body, headers) => {
    for (const route of changes)
      expectError(await everyRoute.ask(route, { body, headers }), everyRoute.word(route, error));
    expect(changes.length).toBeGreaterThan(10);
  });

  it('a body of more than 1 MiB that does not say its length is refused too (contract 1)', async () => {
    for (const route of changes) {
      const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
      const answer = await everyRoute.ask(route, { body: 'x'.repeat(2 * MIB), headers });
      expectError(answer, everyRoute.word(route, 'body_too_large'));
    }
  });

  it.each(['null', '[]', '"text"', '5', 'true', '['.repeat(50_000) + ']'.repeat(50_000)])(
    'a body that is no object is refused wherever one is expected (contract 1)',
    async (body) => {
      for (const route of changes) {
        const answer = await everyRoute.ask(route, { body, headers: JSON_TYPE });
        if (bodyFields(route) === undefined) expectSane(answer);
        else expectError(answer, everyRoute.word(route, 'bad_request'));
      }
    },
  );

  it('an empty body of any type and none at all count as an empty object (contract 1)', async () => {
    for (const route of changes) {
      const answers = [
        await everyRoute.ask(route, { body: '', headers: JSON_TYPE }),
        // `curl -d ''` sends this.
        await everyRoute.ask(route, {
          body: '',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        await everyRoute.ask(route),
        await everyRoute.ask(route, { json: {} }),
      ];
      for (const answer of answers) expectSane(answer);
      const words = answers.map(({ status, body }) => `${status} ${body?.error}`);
      expect(words, `${route.method} ${route.path}`).toEqual(words.map(() => words.at(-1)));
    }
  });

  it.each([
    5,
    true,
    null,
    '',
    'x\0y',
    '\ud800',
    [],
    [[]],
    [5],
    {},
    { a: { b: {} } },
    -1,
    1e308,
    'x'.repeat(9999),
  ])('a field of a wrong type or form never breaks a route: %j (contract 1)', async (value) => {
    for (const route of changes) {
      for (const field of bodyFields(route) ?? []) {
        expectSane(await everyRoute.ask(route, { json: { [field]: value } }));
      }
    }
  });

  it('a field the route does not know is refused by name on every route that is not public (contract 1)', async () => {
    for (const route of changes.filter(({ isPublic }) => !isPublic)) {
      const answer = await everyRoute.ask(route, { json: { isAdmin: true } });
      const word = everyRoute.word(route, 'bad_request');
      expectError(answer, word);
      const isNamed =
        answer.body.message.startsWith('isAdmin: ') || answer.body.message.endsWith(': is missing');
      expect(word === 'not_found' || isNamed, `${route.method} ${route.path}: ${answer.text}`).toBe(true);
    }
  });

  it.each([
    ['POST', '/profile/tokens', { name: 'ci', expires: '2030-01-01T00:00:00Z', scope: ['read'] }, 'expires'],
    ['POST', '/apikeys', { name: 'ci', scopes: ['read'], ratelimit: 1 }, 'ratelimit'],
    ['POST', '/auth/token', { audience: 'svc-mcp', scope: 'auto:use' }, 'scope'],
    ['POST', '/profile/access-key/rotate', { confirm: true }, 'confirm'],
  ])(
    '%s %s with a misspelt field makes nothing and names it (contract 1)',
    async (method, path, json, field) => {
      const before = await world.ok('GET', '/profile/tokens', { as: world.root.as });
      const answer = await world.api(method, path, { as: world.root.as, json });
      expectError(answer, 'bad_request');
      expect(answer.body.message).toBe(`${field}: is not a field of this route`);
      expect(await world.ok('GET', '/profile/tokens', { as: world.root.as })).toEqual(before);
    },
  );

  it('nothing is changed by a body of which one field is unknown, and a long name is cut (contract 1)', async () => {
    const before = await world.ok('GET', '/users', { as: world.root.as });
    const answer = await world.api('PATCH', `/users/${world.root.id}`, {
      as: world.root.as,
      json: { name: 'Root', ['x'.repeat(5000)]: 1 },
    });
    expectError(answer, 'bad_request');
    expect(answer.text.length).toBeLessThan(200);
    expect(await world.ok('GET', '/users', { as: world.root.as })).toEqual(before);
  });

  it('public routes ignore fields they do not know (contract 1)', async () => {
    const { email, password } = world.root;
    const login = await world.api('POST', '/auth/login', { json: { email, password, remember: true } });
    expect(login.status).toBe(204);
    expect((await world.api('POST', '/auth/logout', { json: { all: true } })).status).toBe(204);
  });

  it('a GET with a body is answered like one without (contract 1)', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      expectSane(await everyRoute.ask(route, { body: '{"broken', headers: JSON_TYPE }));
    }
  });

  it('the server still stands (contract 1)', async () => {
    expect((await world.api('GET', '/health')).body).toEqual({ ok: true });
    expect(world.server.output()).not.toContain('Unexpected error');
  });
});
