import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { createdBy, type Entrance, send, startEntrance } from '../grid/support/entrance.ts';
import { startFakeGrid } from '../grid/support/fake-grid.ts';
import { command, devicesOf, isThere, startHub, startNode, until } from '../hub/support/hub.ts';
import { freePort, labInfo, makeToken, startFurther } from '../support/lab.ts';
import { type Collector, type SentSpan, startCollector } from '../support/otlp.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';

const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  const parentId = randomBytes(8).toString('hex');
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-01` };
};

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };
/** Texts that must not occur in any byte that is sent. */
const CANARIES = ['c4nary-query', 'c4nary-body', 'c4nary-state', 'c4nary-element', 'c4nary-tag'];

/** Searches for the secrets in clear text, base64 and hex. */
function expectNoneOf(secrets: readonly string[], { requests }: Collector): void {
  expect(requests.length).toBeGreaterThan(0);
  for (const { head, body } of requests) {
    const all = `${head}\n${body.toString('latin1')}`;
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      for (const form of [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')])
        expect(all.includes(form), `${secret} was sent`).toBe(false);
    }
  }
}

const secretsOf = (person: Person) => [
  person.token,
  person.accessKey,
  person.cookie.split('=')[1] as string,
  person.userId,
];
const named = (spans: readonly SentSpan[]) => spans.map(({ name }) => name).sort();

it('a WebdriverIO session in Appium, here and on a node, is one trace each (specification 9.2 from 2.16)', async () => {
  const collector = await startCollector();
  const env = { SVC_METRICS_ENDPOINT: `${collector.url}/otlp/`, SVC_REQUIRE_SESSION_TOKEN: 'true' };
  const hub = await startHub({ env: { ...env, SVC_LAB_DEVICES: '1' } });
  const port = await freePort();
  const node = await startNode(hub, {
    prefix: 'far',
    port,
    env: { SVC_METRICS_ENDPOINT: `${collector.url}/otlp` },
  });
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const here = newTrace();
  const { capabilities } = await labInfo(hub.url);
  const driver = await remote({
    hostname: '127.0.0.1',
    port: Number(new URL(hub.url).port),
    path: '/',
    logLevel: 'silent',
    connectionRetryCount: 0,
    headers: { ...ana.headers, traceparent: here.traceparent, tracestate: 'vendor=c4nary-state' },
    capabilities: {
      ...capabilities,
      'svc:options': { ...pairOf(ana), tag: 'c4nary-tag' },
    } as WebdriverIO.Capabilities,
  });
  await driver.getPageSource();
  await (await driver.$('//*[@id="search"]')).click();
  await driver.deleteSession();

  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
  const there = newTrace();
  const { traceparent } = there;
  const made = await createSession(hub.url, pairOf(ana), {
    capabilities: { 'appium:udid': 'far-1' },
    headers: { traceparent },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { sessionId } = made.body.value;
  const headers = { ...ana.headers, traceparent };
  await command(hub.url, sessionId, '/timeouts?token=c4nary-query', headers);
  await command(hub.url, sessionId, '/element/c4nary-element/value', headers, 'POST', {
    text: 'c4nary-body',
  });
  await command(hub.url, sessionId, '', headers, 'DELETE');
  // Unauthenticated requests and unknown sessions are not recorded.
  await command(hub.url, sessionId, '/timeouts', { traceparent });
  await createSession(hub.url, { ...pairOf(ana), token: 'svct_c4nary-tag' }, { headers: { traceparent } });
  const scraped = await (await hub.api('/metrics', { headers: { cookie: hub.admin } })).text();

  expect(await hub.stop()).toMatchObject({ code: 0 });
  expect(await node.stop()).toMatchObject({ code: 0 });
  expect([...new Set(collector.requests.map(({ path }) => path))].sort()).toEqual([
    '/otlp/v1/metrics',
    '/otlp/v1/traces',
  ]);

  const spans = collector.spans();
  const atHub = spans.filter(({ traceId }) => traceId === here.traceId);
  expect(named(atHub)).toEqual(
    expect.arrayContaining([
      'DELETE /session/*',
      'GET /session/*/source',
      'POST /session',
      'POST /session/*/element',
      'POST /session/*/element/*/click',
    ]),
  );
  for (const span of atHub)
    expect(span).toMatchObject({ parentId: here.parentId, kind: 2, statusCode: 0, traceState: '' });
  expect(new Set(atHub.map(({ attributes }) => attributes['svc.session'])).size).toBe(1);
  const began = atHub.find(({ name }) => name === 'POST /session');
  expect(began?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/session',
    'http.response.status_code': 200,
    'svc.session': expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(began?.durationMs).toBeGreaterThan(0);

  const far = spans.filter(({ traceId }) => traceId === there.traceId);
  const outer = far.filter(({ parentId }) => parentId === there.parentId);
  const inner = far.filter(({ parentId }) => parentId !== there.parentId);
  const all = [
    'DELETE /session/*',
    'GET /session/*/timeouts',
    'POST /session',
    'POST /session/*/element/*/value',
  ];
  expect([named(outer), named(inner)]).toEqual([all, all]);
  for (const span of inner) {
    const caller = outer.find(({ id }) => id === span.parentId);
    expect(caller).toMatchObject({ name: span.name, attributes: span.attributes });
    expect(caller?.instance).not.toBe(span.instance);
  }

  const points = collector.points(String(outer[0]?.instance));
  const names = new Set(points.map(({ name }) => name));
  const ours = [...scraped.matchAll(/^# HELP (svc_\w+)/gm)].map(([, name]) => name as string);
  const empty =
    points.length === 0
      ? []
      : ours.filter((name) => !new RegExp(`^${name}(?:_count)?[{ ]`, 'm').test(scraped));
  expect(ours.filter((name) => !names.has(name) && !empty.includes(name))).toEqual([]);
  const pointOf = (name: string, labels: Record<string, string>) =>
    points.find(
      (point) =>
        point.name === name &&
        Object.entries(labels).every(([key, value]) => point.attributes[key] === value),
    );
  const decided = { about: 'create', outcome: 'allow', reason: 'owner' };
  expect(pointOf('svc_decisions_total', decided)).toMatchObject({ kind: 'sum', value: 2 });
  expect(pointOf('svc_decisions_total', { about: 'create', outcome: 'deny' })).toMatchObject({ value: 1 });
  expect(pointOf('svc_sessions_running', {})).toMatchObject({ kind: 'gauge', value: 0 });
  const asked = pointOf('svc_api_request_seconds', { route: '/devices' });
  expect(asked?.counts.reduce((sum, count) => sum + count, 0)).toBe(asked?.value);
  expect(asked?.counts).toHaveLength((asked?.bounds.length ?? 0) + 1);

  const ids = [driver.sessionId, sessionId, 'far-1', String(capabilities['appium:app'])];
  expectNoneOf([...CANARIES, ...ids, ...secretsOf(ana), ...secretsOf({ ...ana, ...hub.nodeKey })], collector);
}, 120_000);

async function startTraced(endpoint: string, upstream: string, env = {}): Promise<[Entrance, Person]> {
  const entrance = await startEntrance(upstream, {
    env: { ...STRICT, SVC_METRICS_ENDPOINT: endpoint, ...env },
  });
  return [entrance, await makePerson(entrance, entrance.admin, 'ana@example.test')];
}

it('a trace continues to the grid from both entrances, also without a trace of the client', async () => {
  const collector = await startCollector();
  const grid = await startFakeGrid();
  const [first, ana] = await startTraced(collector.url, grid.url, { SVC_ENTRANCES: 'true' });
  const key = await makeToken(first.url, first.admin, { name: 'entrances', scopes: ['admin'] });
  const further = await startFurther({
    env: {
      ...STRICT,
      SVC_METRICS_ENDPOINT: collector.url,
      SVC_UPSTREAM: grid.url,
      SVC_ENTRANCE_OF: first.url,
      SVC_ENTRANCE_ACCESS_KEY: key.accessKey,
      SVC_ENTRANCE_TOKEN: key.token,
    },
  });
  await expect.poll(async () => (await send(`${further.url}/svc/api/health/ready`)).status).toBe(200);
  const id = await createdBy(further.url, ana);
  const { traceId, parentId, traceparent } = newTrace();
  const state = { tracestate: 'vendor=kept' };
  for (const { url } of [first, further])
    await send(`${url}/session/${id}/url`, { headers: { ...ana.headers, traceparent, ...state } });
  await send(`${first.url}/session/${id}/title`, {
    headers: { ...ana.headers, traceparent: 'nonsense', ...state },
  });
  const unsampled = newTrace();
  const off = unsampled.traceparent.replace(/01$/, '00');
  await send(`${first.url}/session/${id}/url`, { headers: { ...ana.headers, traceparent: off } });
  await further.stop();
  await first.stop();

  const spans = collector.spans();
  const sent = grid.reached.filter(({ url }) => url !== '/status').map(({ headers }) => headers);
  const spanOf = (text: unknown) => spans.find(({ id: span }) => span === String(text).split('-')[2]);
  const [made, atFirst, atFurther, unclear, quiet] = sent;
  expect(spanOf(made?.traceparent)).toMatchObject({ name: 'POST /session', parentId: '' });
  for (const headers of [atFirst, atFurther]) {
    expect(headers?.tracestate).toBe('vendor=kept');
    expect(spanOf(headers?.traceparent)).toMatchObject({ name: 'GET /session/*/url', traceId, parentId });
  }
  expect(spanOf(atFirst?.traceparent)?.instance).not.toBe(spanOf(atFurther?.traceparent)?.instance);
  expect(spanOf(unclear?.traceparent)).toMatchObject({ parentId: '' });
  expect(unclear?.tracestate).toBeUndefined();
  // The client requested that the trace is not recorded, so the servers behind this one do not record it either.
  expect(quiet?.traceparent).toMatch(
    new RegExp(`^00-${unsampled.traceId}-(?!${unsampled.parentId})[0-9a-f]{16}-00$`),
  );
  expect(spans.filter((span) => span.traceId === unsampled.traceId)).toEqual([]);
  const instance = String(spanOf(atFurther?.traceparent)?.instance);
  const counted = collector.points(instance).map(({ name }) => name);
  expect([...new Set(counted)]).toEqual(['svc_info', 'svc_decisions_total', 'svc_command_check_seconds']);
  expectNoneOf([...secretsOf(ana), key.token, key.accessKey, id, 'Grid-0-session', 'vendor'], collector);
}, 60_000);

it('a collector that never answers, refuses, or is not there costs no request anything, and one line', async () => {
  const grid = await startFakeGrid();
  const waiting = await startCollector(() => undefined);
  const refusing = await startCollector((_req, res) => void res.writeHead(503).end('x'.repeat(100)));
  const standIn = async (endpoint: string) => {
    const [entrance, ana] = await startTraced(endpoint, grid.url);
    const id = await createdBy(entrance.url, ana);
    for (let nth = 0; nth < 300; nth += 1)
      expect((await send(`${entrance.url}/session/${id}/url`, { headers: ana.headers })).status).toBe(200);
    const { code, tookMs } = await entrance.stop();
    expect(code).toBe(0);
    expect(tookMs, endpoint).toBeLessThan(5_000);
    const warnings = entrance.output().match(/The collector of SVC_METRICS_ENDPOINT does not accept/g) ?? [];
    expect(warnings.length, entrance.output()).toBeLessThanOrEqual(2);
    if (endpoint !== waiting.url) expect(warnings.length).toBeGreaterThan(0);
  };
  await Promise.all([waiting.url, refusing.url, `http://127.0.0.1:${await freePort()}`].map(standIn));
  expect(waiting.requests.length).toBeGreaterThan(0);
}, 60_000);

it('nothing is sent unless SVC_METRICS_ENDPOINT says where, whatever OpenTelemetry’s own variables say', async () => {
  const collector = await startCollector();
  const grid = await startFakeGrid();
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER_ARG: 'no number',
  };
  const entrance = await startEntrance(grid.url, { env: { ...STRICT, ...otel } });
  const ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  const { traceparent } = newTrace();
  const id = await createdBy(entrance.url, ana);
  await send(`${entrance.url}/session/${id}/url`, { headers: { ...ana.headers, traceparent } });
  expect((await entrance.stop()).code).toBe(0);
  expect(grid.reached.at(-1)?.headers.traceparent ?? grid.reached.at(-2)?.headers.traceparent).toBe(
    traceparent,
  );
  expect(collector.requests).toEqual([]);
});
