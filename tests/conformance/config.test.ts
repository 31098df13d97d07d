import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const KEY = 'sk-canary-of-the-host';

/** An OpenAI-compatible API; a test may replace `answer`. */
class Provider {
  readonly requests: IncomingMessage[] = [];
  readonly #server: Server;
  answer: RequestListener = (_req, res) => res.end('{"data":[{"id":"llama3"}]}');

  private constructor() {
    this.#server = createServer((req, res) => {
      this.requests.push(req);
      this.answer(req, res);
    });
  }

  static async open(): Promise<Provider> {
    const provider = new Provider();
    await new Promise<void>((listening) => provider.#server.listen(0, '127.0.0.1', listening));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** @returns the PNG with another width */
function withSize(png: Buffer, width: number): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt32BE(width, 16);
  return copy;
}

describe.each(targets)('settings on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let provider: Provider;
  let elsewhere: Provider;
  let env: Record<string, string>;

  beforeAll(async () => {
    [provider, elsewhere] = [await Provider.open(), await Provider.open()];
    env = { SVC_MAX_SESSIONS: '8', SVC_AI_BASE_URL: `${provider.url}/`, SVC_AI_API_KEY: KEY };
    world = await World.start(start, env);
    admin = await world.person('Admin');
  });
  afterAll(async () => {
    provider.close();
    elsewhere.close();
    await world.server.stop();
  });

  const read = (as: Credentials = admin.as) => world.ok('GET', '/config', { as });
  const save = (json: object, as: Credentials = world.root.as) => world.api('POST', '/config', { as, json });
  const testAi = (as: Credentials = world.root.as) => world.api('POST', '/config/test-ai', { as, json: {} });

  it('settings are told with their defaults; the key of the AI provider is not (contract 2, /config)', async () => {
    const defaults = {
      maxSessions: 8,
      eventLogRetentionDays: 30,
      sessionRetentionDays: 365,
      auditRetentionDays: 365,
      recording: 'off',
      clean: 'off',
      labName: null,
      usageByPerson: 'off',
      aiProvider: null,
      aiModel: null,
      aiBaseUrl: provider.url,
    };
    const answer = await world.api('GET', '/config', { as: admin.as });
    expect([answer.status, answer.body]).toEqual([200, { settings: defaults, defaults }]);
    expect(answer.text).not.toContain(KEY);
  });

  it('settings are an Admin’s to read and a Super admin’s to save (contract 2, /config; contract 3.3; spec 4 config)', async () => {
    const member = await world.person();
    const { as: limited } = await world.apiKey(world.root.as, { scopes: ['devices'] });
    for (const [method, path, as, error, required] of [
      ['GET', '/config', member.as, 'insufficient_role', 'Admin'],
      ['GET', '/config', limited, 'insufficient_scope', 'admin'],
      ['POST', '/config', member.as, 'insufficient_role', 'Super admin'],
      ['POST', '/config', admin.as, 'insufficient_role', 'Super admin'],
      ['POST', '/config', limited, 'insufficient_scope', 'admin'],
      ['GET', '/config/given', member.as, 'insufficient_role', 'Admin'],
      ['GET', '/config/given', limited, 'insufficient_scope', 'admin'],
      ['PUT', '/config/logo', admin.as, 'insufficient_role', 'Super admin'],
      ['PUT', '/config/logo', limited, 'insufficient_scope', 'admin'],
      ['DELETE', '/config/logo', admin.as, 'insufficient_role', 'Super admin'],
      ['POST', '/config/test-ai', admin.as, 'insufficient_role', 'Super admin'],
      ['POST', '/config/test-ai', limited, 'insufficient_scope', 'admin'],
    ] as const) {
      const answer = await world.api(method, path, { as, ...(method === 'GET' ? {} : { json: { x: 1 } }) });
      expectError(answer, error);
      expect(answer.body.required).toBe(required);
    }
    expectError(await world.api('GET', '/config'), 'unauthenticated');
    expectError(await world.api('POST', '/config', { body: '{"broken' }), 'unauthenticated');
  });

  it('settings count at once when saved; null takes one back to its default (contract 2, /config)', async () => {
    const answer = await save({ maxSessions: 3, eventLogRetentionDays: 7, aiModel: ' m ' });
    expect(answer.status).toBe(200);
    expect(answer.body.settings).toMatchObject({ maxSessions: 3, eventLogRetentionDays: 7, aiModel: 'm' });
    expect(answer.body.defaults).toMatchObject({ maxSessions: 8, eventLogRetentionDays: 30, aiModel: null });
    expect(await read()).toEqual(answer.body);
    const back = await save({ maxSessions: null, eventLogRetentionDays: null, aiModel: null });
    expect(back.body.settings).toEqual(back.body.defaults);
    expect((await save({})).body).toEqual(back.body);
  });

  it.each([
    [{ maxSessions: '3' }, 'maxSessions'],
    [{ maxSessions: 1.5 }, 'maxSessions'],
    [{ maxSessions: [] }, 'maxSessions'],
    [{ eventLogRetentionDays: 0 }, 'eventLogRetentionDays'],
    [{ sessionRetentionDays: -1 }, 'sessionRetentionDays'],
    [{ auditRetentionDays: 364 }, 'auditRetentionDays'],
    [{ recording: 'sometimes' }, 'recording'],
    [{ labName: '' }, 'labName'],
    [{ labName: ' \t ' }, 'labName'],
    [{ labName: 'two\nlines' }, 'labName'],
    [{ labName: 'turned \u202e round' }, 'labName'],
    [{ labName: 'x'.repeat(61) }, 'labName'],
    [{ aiProvider: 'nobody' }, 'aiProvider'],
    [{ aiModel: '' }, 'aiModel'],
    [{ aiBaseUrl: 'ftp://models.test' }, 'aiBaseUrl'],
    [{ aiBaseUrl: 'http://u:p@models.test' }, 'aiBaseUrl'],
    [{ aiModel: 'x', maxSessions: 2, aiBaseUrl: 'nowhere' }, 'aiBaseUrl'],
  ])('nothing is saved when one is bad: %j (contract 2, /config; spec 9.2)', async (json, field) => {
    const before = await read();
    const answer = await save(json);
    expectError(answer, 'invalid_setting');
    expect(answer.body).toEqual({
      error: 'invalid_setting',
      field,
      message: expect.stringMatching(new RegExp(`^${field} `)),
    });
    expect(await read()).toEqual(before);
  });

  it('the name and the logo of the lab are shown to everyone and only a Super admin changes them (contract 2, /config)', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const brand = async () => {
      const { labName, labLogo } = await world.ok('GET', '/auth/options');
      return { labName, labLogo };
    };
    await save({ labName: ' Basement <lab> ' });
    expect((await world.api('PUT', '/config/logo', { as: world.root.as, json: { png } })).status).toBe(204);
    const { labName, labLogo } = await brand();
    expect([labName, labLogo]).toEqual([
      'Basement <lab>',
      expect.stringMatching(/^lab-logo\?v=[0-9a-f]{12}$/),
    ]);
    const picture = await fetch(`${world.url}/svc/${labLogo}`);
    expect(Buffer.from(await picture.arrayBuffer()).toString('base64')).toBe(png);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect((await fetch(`${world.url}/svc/lab-logo`)).headers.get('cache-control')).toBe('no-cache');
    expect(JSON.stringify(await read())).not.toContain(png);

    await world.api('DELETE', '/config/logo', { as: world.root.as });
    await save({ labName: null });
    expect(await brand()).toEqual({ labName: null, labLogo: null });
    expect((await fetch(`${world.url}/svc/lab-logo`)).status).toBe(404);
    const { body } = await world.api('GET', '/audit', { as: world.root.as });
    const reasons = JSON.stringify(body);
    expect(reasons).toContain('logo of the lab changed');
    expect(reasons).toContain('logo of the lab removed');
  });

  it.each([
    [
      'an SVG picture',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'.padEnd(90)),
    ],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'.padEnd(90))],
    ['a GIF', Buffer.from('GIF89a'.padEnd(60))],
    [
      'a PNG of 20,000 pixels',
      withSize(
        Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
        20_000,
      ),
    ],
    [
      'a PNG without pixels',
      withSize(
        Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
        0,
      ),
    ],
    [
      'a PNG that is too large',
      Buffer.concat([
        Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
        Buffer.alloc(64 * 1024 - 10),
      ]),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('%s is no logo (contract 2, /config)', async (_what, picture) => {
    const answer = await world.api('PUT', '/config/logo', {
      as: world.root.as,
      json: { png: picture.toString('base64') },
    });
    expect(answer.status).toBe(400);
    expect((await fetch(`${world.url}/svc/lab-logo`)).status).toBe(404);
  });

  it('an Admin reads with which settings the server was started, and no secret among them (contract 2, /config)', async () => {
    const answer = await world.api('GET', '/config/given', { as: admin.as });
    expect(answer.status).toBe(200);
    expect(answer.body).toContainEqual({
      name: 'SVC_MAX_SESSIONS',
      from: 'environment',
      value: '8',
      isUsable: true,
    });
    expect(answer.body).toContainEqual({
      name: 'SVC_AI_API_KEY',
      from: 'environment',
      value: null,
      isUsable: true,
    });
    expect(answer.body).toContainEqual({
      name: 'SVC_AI_BASE_URL',
      from: 'environment',
      value: `${new URL(provider.url).origin}/…`,
      isUsable: true,
    });
    expect(answer.text).not.toContain(KEY);
    expectError(await world.api('GET', '/config/given'), 'unauthenticated');
  });

  it('one that does not exist is a field the route does not know (contract 1)', async () => {
    const before = await read();
    for (const name of ['apiKey', 'aiApiKey', 'requireCommandAuth', 'constructor']) {
      const answer = await save({ maxSessions: 2, [name]: 1 });
      expectError(answer, 'bad_request');
      expect(answer.body.message).toBe(`${name}: is not a field of this route`);
    }
    expect(await read()).toEqual(before);
  });

  it('a change leaves a row with the names and no value (contract 2, /audit)', async () => {
    await save({ aiModel: 'a-model-nobody-has', maxSessions: 41_414 });
    const { text, body } = await world.api('GET', '/audit?limit=20', { as: world.root.as });
    const rows: { reason: string | null }[] = body.items;
    expect(rows.find(({ reason }) => reason?.startsWith('settings changed'))).toMatchObject({
      event: 'authz_admin',
      outcome: 'success',
      actor: world.root.id,
      target: 'settings',
      reason: 'settings changed: maxSessions, aiModel',
    });
    expect(text).not.toMatch(/a-model-nobody-has|41414/);
    await save({ aiModel: null, maxSessions: null });
  });

  it('each of several simultaneous changes is saved completely (contract 2, /config)', async () => {
    const wanted = Array.from({ length: 8 }, (_, turn) => ({
      maxSessions: turn + 1,
      sessionRetentionDays: turn + 1,
    }));
    const answers = await Promise.all(wanted.map((json) => save(json)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { settings } = await read();
    expect(settings.maxSessions).toBe(settings.sessionRetentionDays);
    await save({ maxSessions: null, sessionRetentionDays: null });
  });

  it('the AI provider is really asked, which counts as an AI change (spec 8.1.1, 9.2)', async () => {
    const answer = await testAi();
    expect([answer.status, answer.body]).toEqual([200, { ok: true, models: ['llama3'], withKey: true }]);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-category': 'ai', 'x-ratelimit-capacity': '75' });
    expect(provider.requests.at(-1)?.url).toBe('/v1/models');
    expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('the key of the host goes to no address that was saved (contract 5)', async () => {
    await save({ aiBaseUrl: elsewhere.url });
    expect((await testAi()).body).toEqual({ ok: true, models: ['llama3'], withKey: false });
    expect(elsewhere.requests).toHaveLength(1);
    for (const aiBaseUrl of [`${provider.url}/`, provider.url.replace('127.0.0.1', 'localhost')]) {
      await save({ aiBaseUrl });
      expect((await testAi()).body.withKey).toBe(aiBaseUrl.startsWith(provider.url));
    }
    await save({ aiBaseUrl: null });
    provider.answer = (_req, res) => res.writeHead(307, { location: `${elsewhere.url}/models` }).end();
    expect((await testAi()).body).toMatchObject({ ok: false, message: expect.stringContaining('redirects') });
    expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('a provider that refuses is told of, and nothing it says (spec 9.2)', async () => {
    provider.answer = (req, res) => res.writeHead(401).end(`wrong: ${req.headers.authorization}`);
    const { body, text } = await testAi();
    expect(body).toEqual({ ok: false, message: 'The address answered with status 401', withKey: true });
    expect(text).not.toContain(KEY);
  });

  it('a test ends with the request that asked for it; of two that hang, a third is told (spec 8.2)', async () => {
    provider.answer = () => {};
    const before = provider.requests.length;
    const asking = [1, 2].map(() => {
      const gone = new AbortController();
      const headers = { ...world.root.as, origin: world.url, 'content-type': 'application/json' };
      const url = `${world.url}/svc/api/config/test-ai`;
      const over = fetch(url, { method: 'POST', headers, body: '{}', signal: gone.signal }).catch(() => {});
      return { gone, over };
    });
    await expect.poll(() => provider.requests.length).toBe(before + 2);
    expect((await testAi()).body).toMatchObject({ ok: false, withKey: false });
    for (const { gone, over } of asking) {
      gone.abort();
      await over;
    }
    const sockets = provider.requests.slice(before).map(({ socket }) => socket);
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    provider.answer = (_req, res) => res.end('{"data":[]}');
    await expect.poll(async () => (await testAi()).body.ok).toBe(true);
  });

  it('saved ones persist, a restart with other start-up values included (spec 9.2)', async () => {
    await save({ maxSessions: 2, aiProvider: 'openai-compatible', aiBaseUrl: elsewhere.url });
    provider.answer = () => {};
    await world.server.stop('SIGKILL');
    env = { ...env, SVC_MAX_SESSIONS: '9', SVC_AI_PROVIDER: 'ollama', SVC_EVENT_LOG_RETENTION_DAYS: '5' };
    world = await World.start(start, env, world.server.dataDir);
    const { settings, defaults } = await read(world.root.as);
    expect(settings).toMatchObject({
      maxSessions: 2,
      aiProvider: 'openai-compatible',
      aiBaseUrl: elsewhere.url,
      eventLogRetentionDays: 5,
    });
    expect(defaults).toMatchObject({ maxSessions: 9, aiProvider: 'ollama', aiBaseUrl: provider.url });
    expect((await testAi()).body).toEqual({ ok: true, models: ['llama3'], withKey: false });
  });

  it('a test that hangs does not keep the server from ending (contract 9)', async () => {
    elsewhere.answer = () => {};
    const before = elsewhere.requests.length;
    const asking = call(world.url, 'POST', '/svc/api/config/test-ai', { as: world.root.as, json: {} }).catch(
      () => undefined,
    );
    await expect.poll(() => elsewhere.requests.length).toBe(before + 1);
    const { code, tookMs } = await world.server.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5000);
    await asking;
    expect(world.server.output()).not.toContain(KEY);
  });
});
