import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labInfo, type RunningServer, request, startLab } from '../support/lab.ts';
import { exchange, type RawRequest, rawRequest } from '../support/raw-http.ts';
import {
  createSession,
  makePerson,
  type Person,
  pairOf,
  startBareAppium,
  superAdmin,
} from '../support/sessions.ts';

/**
 * The gate must decide according to what bare Appium does with a request target (contract 7). What Appium routes to a
 * session is refused without credentials. Anything else gets Appium's response, or 400 if no regular client sends such
 * a target.
 */

type Shape = readonly [target: string, request?: RawRequest];
const get = (target: string, headers: Record<string, string> = {}): Shape => [target, { headers }];
const post = (target: string, headers: Record<string, string> = {}): Shape => [
  target,
  { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{}' },
];

/** `B` is the base path, `S` the id of a running session. */
const SHAPES: readonly Shape[] = [
  ...[
    '',
    '/',
    '?x=1',
    '/?x=1',
    '/url',
    '/url/',
    '/url//',
    '/URL',
    '/timeouts',
    '/timeouts?a=b/c',
    '/nothing',
  ].map((rest) => get(`B/session/S${rest}`)),
  ...[
    'B//session/S/url',
    'B/session//S/url',
    '//B/session/S/url',
    'B/session/S//url',
    'B/session/S/./url',
  ].map((t) => get(t)),
  ...[
    'B/session/S/../S/url',
    'B/x/../session/S/url',
    'B/./session/S/url',
    'B/%2e%2e/session/S/url',
    '/../B/session/S/url',
  ].map((t) => get(t)),
  ...[
    'B/SESSION/S/url',
    'B/Session/S/Timeouts',
    'B/sessioN/S',
    'B/sessions/S',
    'B/sessionx/S',
    'B/session;a=b/S/url',
  ].map((t) => get(t)),
  ...[
    'B/%73ession/S/url',
    'B/session%2FS/url',
    'B/session/S%2Furl',
    'B/session/S/%75rl',
    'B/session/S%20/url',
    'B/session/S%00/url',
  ].map((t) => get(t)),
  ...[
    'B/session/E/url',
    'B/session/E',
    'B/session/U/url',
    'B/session/S;a=b/url',
    'B/session/%zz/url',
    'B/session/%/url',
  ].map((t) => get(t)),
  ...[
    'http://evil/B/session/S/url',
    'HTTP://evil:99/B/session/S/url',
    'https://u:p@evil/B/session/S/url',
    'foo://x/B/session/S/url',
    'http://evil?/B/session/S/url',
  ].map((t) => get(t.replace('/B/', 'B/'))),
  ...[
    'B/session/S/url#x',
    'B/session/S#',
    'B/session\\S\\url',
    'B/session\\S\\url#',
    '\\B\\session\\S\\url#',
    'http://h/B/session\\S\\url',
  ].map((t) => get(t.replace('http://h/B', 'http://hB'))),
  ...[
    '/B/session/S/url',
    '/x/B/session/S/url',
    '/wd/hub/x/session/S/url',
    '/session/S/url',
    '/wd/session/S/url',
  ].map((t) => get(t.replace('/B', 'B'))),
  ...[
    'B/session/constructor/url',
    'B/session/__proto__/url',
    'B/session/toString',
    'B/session/unknown/url',
    'B/session/unknown',
  ].map((t) => get(t)),
  ...['HEAD', 'OPTIONS', 'TRACE', 'PATCH', 'PUT'].map(
    (method): Shape => ['B/session/S/timeouts', { method }],
  ),
  post('B/session/S/timeouts'),
  post('B/session/S/timeouts', { 'X-HTTP-Method-Override': 'GET' }),
  post('B/session/S/timeouts', { 'x-http-method-override': 'get' }),
  post('B/session/S/timeouts', { 'X-HTTP-Method-Override': 'PATCH' }),
  get('B/session/S/timeouts', { 'X-HTTP-Method-Override': 'POST' }),
  get('B/session/S/timeouts', {
    Connection: 'close, Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAMAAABkAAQAAP__',
  }),
  get('B/status'),
  get('B/nothing'),
  get('/'),
];

/** @returns the id with its first character percent-encoded, or with every character percent-encoded */
const encoded = (id: string) => [...id].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');

const fill = (target: string, base: string, id: string) =>
  target
    .replace(/B(?=[/\\])/, base)
    .replace(/\bS\b/g, id)
    .replace(/\bE\b/, encoded(id))
    .replace(/\bU\b/, id.toUpperCase());

describe.each([
  ['without a base path', ''],
  ['with a base path', '/wd/Hub'],
])('%s', (_name, base) => {
  let bare: Awaited<ReturnType<typeof startBareAppium>>;
  let lab: RunningServer;
  let ana: Person;
  let ids: { bare: string; lab: string };

  beforeAll(async () => {
    const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LAB_LOG_LEVEL: 'error', SVC_BASE_PATH: base };
    [lab, bare] = await Promise.all([
      startLab({ env }),
      startBareAppium(base === '' ? [] : ['--base-path', base]),
    ]);
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
    const { capabilities } = await labInfo(lab.url);
    const made = await request(`${bare.url}${base}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch: capabilities } },
    });
    const { value } = (await made.json()) as { value: { sessionId: string } };
    ids = { bare: value.sessionId, lab: (await createSession(lab.url, pairOf(ana))).body.value.sessionId };
  });

  afterAll(async () => {
    await Promise.all([lab?.stop(), bare?.stop()]);
  });

  /**
   * Appium names the session in its response only if it found a session in the target; a 404 for an unknown target is
   * different.
   */
  const kindOf = ({ status, body }: { status: number; body: string }) =>
    body === '' ? `${status}` : `${status} ${/"error":"([^"]*)"/.exec(body)?.[1] ?? 'value'}`;

  it.each(
    SHAPES.map(
      ([target, sent]) =>
        [`${sent?.method ?? 'GET'} ${target} ${JSON.stringify(sent?.headers ?? {})}`, target, sent] as const,
    ),
  )('%s', async (_shape, target, sent) => {
    const appiums = await rawRequest(bare.url, fill(target, base, ids.bare), sent);
    const refused = await rawRequest(lab.url, fill(target, base, ids.lab), sent);
    const headers = { ...sent?.headers, ...ana.headers };
    const owners = await rawRequest(lab.url, fill(target, base, ids.lab), { ...sent, headers });
    const bareKind = kindOf(appiums);
    const reaches = appiums.status === 200 && !target.includes('status') && sent?.method !== 'OPTIONS';

    if (refused.status === 400 && appiums.status !== 400) {
      // No regular client sends such a target, so even the owner is refused.
      expect(owners.status).toBe(400);
      expect(target).toMatch(/[#\\]|^foo:/);
    } else if (reaches) {
      expect(refused.status).toBe(404);
      if (sent?.method !== 'HEAD') expect(refused.body).toBe(UNKNOWN_SESSION_BODY);
      expect(kindOf(owners)).toBe(bareKind);
    } else if (refused.status === 401) {
      // Outside a session, callers with a valid credential get Appium's response.
      expect(appiums.status).toBe(404);
      expect(kindOf(owners)).toBe(bareKind);
    } else if (refused.body === UNKNOWN_SESSION_BODY) {
      // Appium treats the target as one of a session, although it is no command or the session is unknown.
      expect(refused.status).toBe(404);
      expect(appiums.status).toBeGreaterThanOrEqual(400);
    } else {
      expect(kindOf(refused)).toBe(bareKind);
      expect(kindOf(owners)).toBe(bareKind);
    }
  });

  it('doubled slashes: refused and unknown ids have one answer (contract 7)', async () => {
    const bob = await makePerson(lab, await superAdmin(lab), 'bob@example.org');
    for (const doubled of ['//session/S/url', '/session//S/url', '//session//S']) {
      for (const id of [ids.lab, 'unknown']) {
        for (const headers of [{}, bob.headers]) {
          const target = `${base}${fill(doubled, base, id)}`;
          const { status, body } = await rawRequest(lab.url, target, { headers });
          expect([status, body], target).toEqual([404, UNKNOWN_SESSION_BODY]);
        }
      }
    }
  });

  it('Appium sees none of the refused, and no tripwire is touched', async () => {
    expect(lab.output()).not.toContain('Tripwire');
  });

  it('a refusal has the headers of Appium’s own 404, and the id of the request', async () => {
    const all = ({ headers }: { headers: readonly (readonly [string, string])[] }) =>
      headers.filter(([name]) => name !== 'x-request-id');
    const fixed = (answer: Parameters<typeof all>[0]) =>
      all(answer).filter(([name]) => !/^(date|content-length|etag)$/i.test(name));
    for (const method of ['GET', 'POST', 'DELETE']) {
      const target = `${base}/session/unknown/url`;
      const appiums = await rawRequest(bare.url, target, { method });
      const ours = await rawRequest(lab.url, target, { method });
      expect(fixed(ours)).toEqual(fixed(appiums));
      expect(all(ours).map(([name]) => name)).toEqual(all(appiums).map(([name]) => name));
      expect(ours.headers.filter(([name]) => name === 'x-request-id')).toHaveLength(1);
    }
  });

  it('pipelined requests are judged one by one', async () => {
    const owner = Object.entries(ana.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const line = `GET ${base}/session/${ids.lab}/timeouts HTTP/1.1\r\nHost: x\r\n`;
    const text = await exchange(
      lab.url,
      Buffer.from(`${line}${owner}\r\n${line}\r\n${line}${owner}\r\n${line}Connection: close\r\n\r\n`),
    );
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual([
      '200',
      '404',
      '200',
      '404',
    ]);
  });
});

it('there are at least sixty shapes', () => expect(SHAPES.length).toBeGreaterThanOrEqual(60));
