import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { makePerson, pairOf, startBareAppium, superAdmin } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';

/**
 * A client that sends its credentials gets from svc the same responses as from bare Appium (contract 7, 6.2). Both
 * servers get the same requests in the same order. docs/differences-from-appium.md lists the exceptions, with their
 * tests.
 */

interface Step {
  readonly name: string;
  readonly method: string;
  /** `S` stands for the id of the running session, `E` for that of the element that was found. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNKNOWN = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const get = (path: string, headers = {}): Step => ({ name: `GET ${path}`, method: 'GET', path, headers });
const remove = (path: string): Step => ({ name: `DELETE ${path}`, method: 'DELETE', path });
function post(path: string, json: unknown, headers = {}): Step {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  return { name: `POST ${path} ${body.slice(0, 80)}`, method: 'POST', path, body, headers };
}
const create = (capabilities: object, more = {}): Step =>
  post('/session', { capabilities: { alwaysMatch: capabilities, firstMatch: [{}] }, ...more });

const XPATH = { using: 'xpath', value: '//MockListItem' };

const STEPS: readonly Step[] = [
  get('/status'),
  { name: 'HEAD /status', method: 'HEAD', path: '/status' },
  get('/'),
  get('/nothing'),
  post('/nothing', {}),
  remove('/session'),
  { name: 'PUT /session', method: 'PUT', path: '/session', body: '{}' },
  get('/sessions'),
  get('/appium/sessions'),
  create({}),
  create({ platformName: 'Nothing', 'appium:automationName': 'Nothing' }),
  create({ ...FAKE_PHONE, 'appium:app': '/nowhere.xml' }),
  create({ ...FAKE_PHONE, unprefixed: 1 }),
  create({ ...FAKE_PHONE, platformName: 7 }),
  post('/session', { capabilities: { alwaysMatch: FAKE_PHONE, firstMatch: [FAKE_PHONE] } }),
  post('/session', { capabilities: { alwaysMatch: FAKE_PHONE, firstMatch: 'x' } }),
  post('/session', { capabilities: { alwaysMatch: FAKE_PHONE, firstMatch: [] }, desiredCapabilities: {} }),
  post('/session', { capabilities: { alwaysMatch: FAKE_PHONE }, desiredCapabilities: FAKE_PHONE }),
  remove('/session/S'),
  create({ ...FAKE_PHONE, 'appium:newCommandTimeout': 300, webSocketUrl: true, 'other:build': 'b' }),
  get('/session/S'),
  get('/session/S/appium/capabilities'),
  get('/session/S/timeouts'),
  post('/session/S/timeouts', { implicit: 100 }),
  post('/session/S/timeouts', { implicit: 'x' }),
  post('/session/S/timeouts', {}),
  get('/session/S/url'),
  post('/session/S/url', { url: 'http://localhost/' }),
  get('/session/S/source'),
  get('/session/S/source?raw=1'),
  get('/session/S/source/'),
  get('/session/S/Source'),
  post('/session/S/element', XPATH),
  post('/session/S/elements', XPATH),
  post('/session/S/element', { using: 'xpath', value: '//Nothing' }),
  post('/session/S/element', { using: 'nothing', value: 'x' }),
  post('/session/S/element', {}),
  get('/session/S/element/E/text'),
  get('/session/S/element/E/attribute/id'),
  get('/session/S/element/E/displayed'),
  get('/session/S/element/99/text'),
  post('/session/S/element/E/click', {}),
  post('/session/S/element/E/value', { text: 'text with ü and \u{1f600}' }),
  post('/session/S/element/E/clear', {}),
  post('/session/S/actions', { actions: [{ type: 'pointer', id: 'a', actions: [] }] }),
  post('/session/S/execute/sync', { script: 'mobile: nothing', args: [] }),
  post('/session/S/execute/sync', { script: 'fake: addition', args: [{ num1: 2, num2: 3 }] }),
  post('/session/S/execute/sync', { script: 'fake: addition', args: [{}] }),
  post('/session/S/appium/settings', { settings: { a: 1 } }),
  get('/session/S/appium/settings'),
  get('/session/S/contexts'),
  post('/session/S/context', { name: 'nothing' }),
  get('/session/S/orientation'),
  get('/session/S/window/rect'),
  get('/session/S/screenshot'),
  get('/session/S/appium/events'),
  get('/session/S/log/types'),
  get('/session/S/nothing'),
  post('/session/S/nothing', { a: 1 }),
  { name: 'PATCH of a command', method: 'PATCH', path: '/session/S/timeouts', body: '{}' },
  { name: 'HEAD of a command', method: 'HEAD', path: '/session/S/timeouts' },
  { name: 'OPTIONS of a command', method: 'OPTIONS', path: '/session/S/timeouts' },
  post('/session/S/timeouts', '{"implicit":'),
  post('/session/S/timeouts', '[]'),
  post('/session/S/timeouts', '"x"'),
  post('/session/S/timeouts', 'implicit=1', { 'Content-Type': 'application/x-www-form-urlencoded' }),
  post('/session/S/timeouts', '{}', { 'Content-Type': 'text/plain' }),
  post('/session/S/timeouts', '{}', { 'Content-Type': 'application/json; charset=latin1' }),
  post('/session/S/timeouts', '{}', { 'Content-Encoding': 'gzip' }),
  post('/session/S/appium/device/push_file', { path: '/x', data: 'y'.repeat(3_000_000) }),
  remove('/session/S'),
  get(`/nothing/${UNKNOWN}`),
];

interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Sends all steps, one after the other. The credentials are sent in the places where a client of svc sends them. */
async function run(url: string, base: string, credentials: { pair?: object; headers?: object } = {}) {
  const answers: Answer[] = [];
  let session = UNKNOWN;
  let element = '0';
  for (const { method, path, body, headers } of STEPS) {
    const target = `${base}${path.replace(/\bS\b/, session).replace(/\bE\b/, element)}`;
    const isCreate = method === 'POST' && path === '/session';
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const answer = await rawRequest(url, target, {
      method,
      headers: { ...type, ...headers, ...(isCreate ? {} : credentials.headers) },
      body: isCreate ? withPair(body, credentials.pair) : (body ?? ''),
    });
    answers.push(answer);
    const value = valueIn(answer.body);
    if (isCreate && answer.status === 200) session = String(value.sessionId);
    if (path.endsWith('/element') && answer.status === 200) element = String(Object.values(value)[0]);
  }
  return answers;
}

/** Adds the pair to every set of capabilities that is an object. */
function withPair(body: string | undefined, pair: object | undefined): string {
  const json = JSON.parse(body ?? '{}');
  const always = json.capabilities?.alwaysMatch;
  if (pair !== undefined && always !== undefined) always['svc:options'] = pair;
  return JSON.stringify(json);
}

function valueIn(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body).value ?? {};
  } catch {
    return {};
  }
}

/** Sends JSON over a connection of its own, because Appium does not end a response that it replays. */
function statusOf(url: string, headers: object, json: object): Promise<number | undefined> {
  return new Promise((done, failed) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', ...headers },
    };
    const sending = httpRequest(url, options, (answer) => {
      done(answer.statusCode);
      answer.destroy();
    });
    sending.once('error', failed).end(JSON.stringify(json));
  });
}

const VARIES = /^(?:date|etag|content-length)$/i;

/**
 * Returns a response without the parts that differ between two runs of the same server: ids, times, the server's
 * address, and stack frames.
 */
function comparable({ status, headers, body }: Answer, url: string) {
  const isFixed = !/[0-9a-f]{8}-[0-9a-f]{4}-|stacktrace|\d{13}|"build"/.test(body);
  return {
    status,
    headers: headers.filter(([name]) => (isFixed ? !/^date$/i.test(name) : !VARIES.test(name))),
    names: headers.map(([name]) => name),
    body: withoutFrames(body)
      .replaceAll(new URL(url).host, '<host>')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\b1\d{12}\b/g, '<time>'),
  };
}

/** Removes the stack frames, which name the files through which the request went. */
function withoutFrames(body: string): string {
  const stack = valueIn(body).stacktrace;
  return typeof stack === 'string'
    ? body.replace(JSON.stringify(stack), JSON.stringify(stack.split('\n')[0]))
    : body;
}

/** Contract 7: every response of the gate itself has the id, and every response to a create-session request. */
const withoutRequestId = (answer: Answer): Answer => ({
  ...answer,
  headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'x-request-id'),
});

describe.each<[string, string, string[]]>([
  ['by default', '', []],
  ['with a base path and --allow-cors', '/wd/hub', ['--base-path', '/wd/hub', '--allow-cors']],
])('Appium %s', (_name, base, args) => {
  let bare: Awaited<ReturnType<typeof startBareAppium>>;
  let svc: Awaited<ReturnType<typeof startAppium>>;
  let headers: Record<string, string>;
  let pair: object;
  let theirs: Answer[];
  let ours: Answer[];

  beforeAll(async () => {
    const env = {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
      SVC_DEVICES: '[]',
    };
    [bare, svc] = await Promise.all([startBareAppium(args), startAppium({ args, env })]);
    const ana = await makePerson(svc, await superAdmin(svc), 'ana@example.org');
    headers = { ...ana.headers };
    pair = pairOf(ana);
    theirs = await run(bare.url, base);
    ours = await run(svc.url, base, { pair, headers });
  }, 120_000);
  afterAll(() => Promise.all([bare?.stop(), svc?.stop()]));

  it.each(STEPS.map(({ name }, at) => [name, at] as const))(
    '%s is answered as by bare Appium (contract 7)',
    (_name, at) => {
      const [appiums, answer] = [theirs[at] as Answer, ours[at] as Answer];
      expect(comparable(withoutRequestId(answer), svc.url)).toEqual(comparable(appiums, bare.url));
    },
  );

  it('only answers to creates have x-request-id (contract 7)', () => {
    const creates = STEPS.map(({ method, path }) => method === 'POST' && path === '/session');
    const hasId = ({ headers }: Answer) => headers.some(([name]) => name === 'x-request-id');
    expect(ours.map(hasId)).toEqual(creates);
    expect(theirs.some(hasId)).toBe(false);
  });

  /** Runs `act` on both servers, each with its own session. */
  async function both<T>(
    act: (target: { url: string; id: string; headers: object }) => Promise<T>,
  ): Promise<T[]> {
    return await Promise.all(
      [
        { url: bare.url, pair: {}, sent: {} },
        { url: svc.url, pair: { 'svc:options': pair }, sent: headers },
      ].map(async ({ url, pair, sent }) => {
        const alwaysMatch = { ...FAKE_PHONE, webSocketUrl: true, ...pair };
        const made = await request(`${url}${base}/session`, {
          method: 'POST',
          json: { capabilities: { alwaysMatch } },
        });
        const { value } = (await made.json()) as { value: { sessionId: string } };
        const id = value.sessionId;
        const done = await act({ url: `${url}${base}`, id, headers: sent });
        await request(`${url}${base}/session/${id}`, { method: 'DELETE', headers: { ...sent } });
        return done;
      }),
    );
  }

  it('a request that is sent again with its idempotency key is answered as by bare Appium (contract 7)', async () => {
    const [theirs, ours] = await both(async ({ url, id, headers }) => {
      const path = `/session/${id}/appium/settings`;
      const set = (value: number) =>
        statusOf(`${url}${path}`, { 'X-Idempotency-Key': 'same', ...headers }, { settings: { a: value } });
      const statuses = [await set(1), await set(2)];
      const answer = await request(`${url}${path}`, { headers: { ...headers } });
      return [statuses, await answer.json()];
    });
    expect(ours).toEqual(theirs);
    expect(theirs).toEqual([[200, 200], { value: expect.objectContaining({ a: 1 }) }]);
  });

  it('the BiDi socket of a session answers as that of bare Appium (contract 7)', async () => {
    const [theirs, ours] = await both(async ({ url, id, headers }) => {
      const { host, pathname } = new URL(url);
      const target = `${pathname === '/' ? '' : pathname}/bidi/${id}`;
      const { socket } = await upgrade(`http://${host}`, target, { ...headers });
      if (socket === undefined) throw new Error('the socket was refused');
      const answers = [];
      for (const method of ['session.status', 'nothing.nothing', 'x'])
        answers.push({ ...(await bidi(socket, method)), stacktrace: null });
      answers.push(await bidi(socket, 'appium:fake.doSomeMath', { num1: 2, num2: 3 }));
      await close(socket);
      return answers;
    });
    expect(ours).toEqual(theirs);
    expect(theirs?.at(-1)).toMatchObject({ type: 'success' });
  });
});
