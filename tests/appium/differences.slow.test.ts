import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { type RawRequest, rawRequest } from '../support/raw-http.ts';
import { makePerson, pairOf, startBareAppium, superAdmin } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';

/**
 * What a client with credentials can tell from bare Appium: the rows of docs/differences-from-appium.md that have no
 * other test. `same-as-appium.slow.test.ts` shows that nothing else differs.
 */

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let bare: Awaited<ReturnType<typeof startBareAppium>>;
let svc: Awaited<ReturnType<typeof startAppium>>;
let headers: Record<string, string>;
let pair: object;

beforeAll(async () => {
  const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };
  [bare, svc] = await Promise.all([startBareAppium(), startAppium({ env })]);
  const ana = await makePerson(svc, await superAdmin(svc), 'ana@example.org');
  headers = { ...ana.headers };
  pair = pairOf(ana);
});
afterAll(() => Promise.all([bare?.stop(), svc?.stop()]));

type Make = (capabilities: object) => RawRequest;

/** Sends a request to both servers, and returns the responses of bare Appium and of svc. Only svc gets credentials. */
async function both(target: string, sent: RawRequest) {
  const [theirs, ours] = await Promise.all([
    rawRequest(bare.url, target, sent),
    rawRequest(svc.url, target, { ...sent, headers: { ...sent.headers, ...headers } }),
  ]);
  return { theirs, ours };
}

/** Does the same as `both` for a create-session request, whose credentials are in its capabilities. */
async function bothCreates(make: Make) {
  const [theirs, ours] = await Promise.all([
    rawRequest(bare.url, '/session', { method: 'POST', ...make(FAKE_PHONE) }),
    rawRequest(svc.url, '/session', { method: 'POST', ...make({ ...FAKE_PHONE, 'svc:options': pair }) }),
  ]);
  return { theirs, ours };
}

const bodyOf = (alwaysMatch: object, more: object = {}) =>
  JSON.stringify({ capabilities: { alwaysMatch, ...more } });
const json = (body: string | Buffer, more: object = {}): RawRequest => ({
  headers: { ...JSON_TYPE, ...more },
  body,
});
const formOf = (capabilities: object) =>
  new URLSearchParams(
    Object.entries(capabilities).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[`capabilities[alwaysMatch][${name}]`, value]] : [],
    ),
  ).toString();
const requestIds = (answer: { headers: readonly (readonly [string, string])[] }) =>
  answer.headers.filter(([name]) => name === 'x-request-id').length;

describe('a create that is not JSON in UTF-8 (contract 6.3)', () => {
  it.each<[string, number, number, Make]>([
    ['broken JSON', 400, 400, () => json('{')],
    ['a list', 500, 400, () => json('[]')],
    ['text', 400, 400, () => json('"x"')],
    ['bytes that are not UTF-8', 500, 400, () => json(Buffer.from('{"\xff":1}', 'latin1'))],
    [
      'another media type',
      500,
      415,
      (all) => ({ ...json(bodyOf(all)), headers: { 'Content-Type': 'text/plain' } }),
    ],
    ['a form', 200, 415, (all) => ({ headers: FORM, body: formOf(all) })],
    ['a compressed body', 200, 415, (all) => json(gzipSync(bodyOf(all)), { 'Content-Encoding': 'gzip' })],
    [
      'another charset',
      200,
      415,
      (all) => ({
        headers: { 'Content-Type': 'application/json; charset=utf-16le' },
        body: Buffer.from(bodyOf(all), 'utf16le'),
      }),
    ],
  ])('%s: %d from bare Appium, %d from svc', async (_, appiums, status, make) => {
    const { theirs, ours } = await bothCreates(make);
    expect([theirs.status, ours.status]).toEqual([appiums, status]);
    expect(JSON.parse(ours.body)).toEqual({
      value: { error: 'invalid argument', message: expect.any(String), stacktrace: '' },
    });
  });
});

describe('a create beyond the bounds (contract 5)', () => {
  it.each<[string, number, object]>([
    ['512 KiB', 413, { x: 'y'.repeat(512 * 1024) }],
    ['64 levels', 400, { x: JSON.parse('['.repeat(63) + ']'.repeat(63)) }],
    ['20,000 values', 400, { x: Array(20_000).fill(0) }],
    ['64 entries of firstMatch', 400, { firstMatch: Array(65).fill({}) }],
  ])('%s: a session from bare Appium, %d from svc', async (_, status, more) => {
    const { theirs, ours } = await bothCreates((all) => json(bodyOf(all, more)));
    expect([theirs.status, ours.status]).toEqual([200, status]);
    expect(JSON.parse(ours.body).value.error).toBe('invalid argument');
  });
});

describe('a target that no regular client sends (contract 7)', () => {
  it.each<[string, string, number]>([
    ['OPTIONS', '*', 404],
    ['GET', '/status#fragment', 200],
    ['GET', '/status\\backslash', 404],
    ['GET', 'foo://x/status', 200],
  ])('%s %s: a bare 400', async (method, target, appiums) => {
    const { theirs, ours } = await both(target, { method });
    expect([theirs.status, ours.status, ours.body]).toEqual([appiums, 400, '']);
  });

  it('an id that cannot be decoded is that of an unknown session', async () => {
    const { theirs, ours } = await both('/session/%zz/url', {});
    expect([theirs.status, ours.status]).toEqual([500, 404]);
    expect(JSON.parse(ours.body).value.error).toBe('invalid session id');
  });
});

describe('answers (contract 7)', () => {
  it('an error of an unknown session has no stack (contract 7)', async () => {
    const { theirs, ours } = await both('/session/unknown/url', {});
    const [bareValue, value] = [theirs, ours].map(({ body }) => JSON.parse(body).value);
    expect(value).toEqual({ ...bareValue, stacktrace: '' });
    expect(bareValue.stacktrace).not.toBe('');
  });

  it('answers to a create and of the gate itself have x-request-id, and others have none (contract 7)', async () => {
    const create = await bothCreates((all) => json(bodyOf({ ...all, 'appium:app': '/nowhere.xml' })));
    expect([create.theirs.status, create.ours.status]).toEqual([500, 500]);
    const unknown = await both('/session/unknown/url', {});
    const status = await both('/status', {});
    expect([create, unknown, status].map(({ ours }) => requestIds(ours))).toEqual([1, 1, 0]);
    expect([create, unknown, status].map(({ theirs }) => requestIds(theirs))).toEqual([0, 0, 0]);
  });

  it('a body that no route reads does not change the answer (contract 7)', async () => {
    for (const [method, target, appiums, status] of [
      ['GET', '/status', 400, 200],
      ['PUT', '/session', 400, 404],
    ] as const) {
      const { theirs, ours } = await both(target, { method, ...json('{') });
      expect([theirs.status, ours.status]).toEqual([appiums, status]);
    }
  });

  it('name the plugin where Appium names its plugins, and the phone that the lab chose', async () => {
    const [theirs, ours] = await Promise.all(
      [
        { url: bare.url, options: {}, sent: {} },
        { url: svc.url, options: { 'svc:options': pair }, sent: headers },
      ].map(async ({ url, options, sent }) => {
        const made = await request(`${url}/session`, {
          method: 'POST',
          json: { capabilities: { alwaysMatch: { ...FAKE_PHONE, ...options } } },
        });
        const { value } = (await made.json()) as {
          value: { sessionId: string; capabilities: Record<string, unknown> };
        };
        const ask = async (path: string) => {
          const answer = await request(`${url}/session/${value.sessionId}/appium/${path}`, { headers: sent });
          return ((await answer.json()) as { value: Record<string, object> }).value;
        };
        const found = {
          capabilities: value.capabilities,
          commands: await ask('commands'),
          extensions: await ask('extensions'),
        };
        await request(`${url}/session/${value.sessionId}`, { method: 'DELETE', headers: sent });
        return found;
      }),
    );
    expect(ours?.capabilities).toEqual({ ...theirs?.capabilities, udid: expect.stringMatching(/^virtual-/) });
    for (const name of ['commands', 'extensions'] as const) {
      const [bareLists, lists] = [theirs?.[name] ?? {}, ours?.[name] ?? {}];
      const withPlugin = Object.entries(bareLists).map(([kind, list]) => [
        kind,
        { ...list, plugins: { SvcPlugin: {} } },
      ]);
      expect(lists).toEqual(Object.fromEntries(withPlugin));
    }
  });

  it('the answers to /auto/sessions are those to /appium/sessions (contract 7)', async () => {
    const { theirs, ours } = await both('/auto/sessions', {});
    const listing = await both('/appium/sessions', {});
    expect([theirs.status, ours.status]).toEqual([404, listing.theirs.status]);
  });

  it('an upgrade for an unknown session gets a bare 404, where Appium opens a socket (contract 7)', async () => {
    const theirs = await upgrade(bare.url, '/bidi/unknown');
    theirs.socket?.terminate();
    const ours = await upgrade(svc.url, '/bidi/unknown', headers);
    expect([theirs.status, ours.status, ours.body]).toEqual([101, 404, '']);
  });
});
