import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targets, World } from './support/world.ts';

const SCRAPE = 'scrape-me-0123456789-abcdef';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The metrics of svc: name with labels, and value. */
function seriesIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith('svc_'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe.each(targets)('metrics, on $name', ({ start }) => {
  let world: World;
  const scrape = async () => (await world.api('GET', '/metrics', { as: bearer(SCRAPE) })).text;
  beforeAll(async () => {
    world = await World.start(start, { SVC_METRICS_TOKEN: SCRAPE });
  });
  afterAll(() => world.server.stop());

  it('metrics are for Admins with `admin`, and for the scrape token', async () => {
    expect(await world.asks(world.root.as, '/metrics')).toBe('200');
    expect(await world.asks((await world.person('Admin')).as, '/metrics')).toBe('200');
    expect(await world.asks((await world.person()).as, '/metrics')).toBe('403 insufficient_role');
    const narrow = await world.apiKey(world.root.as, { scopes: ['read'] });
    expect(await world.asks(narrow.as, '/metrics')).toBe('403 insufficient_scope');
    expect(await world.asks({}, '/metrics')).toBe('401 unauthenticated');
    const answer = await world.api('GET', '/metrics', { as: bearer(SCRAPE) });
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('the scrape token is good for nothing else, and nothing like it is good', async () => {
    for (const path of ['/auth/me', '/users', '/audit', '/profile/access-key', '/config'])
      expect(await world.asks(bearer(SCRAPE), path)).toBe('401 invalid token');
    const minted = await world.api('POST', '/auth/token', { as: bearer(SCRAPE), json: {} });
    expect(minted.status).toBe(401);
    for (const token of [SCRAPE.slice(0, -1), `${SCRAPE}x`, SCRAPE.toUpperCase(), ''])
      expect(await world.asks(bearer(token), '/metrics')).toBe('401 invalid token');
    expect(await world.asks({ authorization: `Basic ${SCRAPE}` }, '/metrics')).toBe('401 unauthenticated');
    expect(await world.asks({ cookie: `svc_dashboard_session=${SCRAPE}` }, '/metrics')).toBe(
      '401 invalid session',
    );
  });

  it('a key pair beside the scrape token decides alone (spec 5.1.1)', async () => {
    const pair = { 'x-svc-access-key': 'svc_nobody', 'x-svc-token': 'svct_nothing' };
    expect(await world.asks({ ...pair, ...bearer(SCRAPE) }, '/metrics')).toBe('401 invalid credentials');
  });

  it('metrics count decisions by outcome and reason, tickets, the memory of callers, and the queues', async () => {
    const before = seriesIn(await scrape());
    await world.asks({}, '/users');
    await world.asks({}, '/users');
    await world.asks(world.root.as, '/users');
    await world.api('POST', '/events/ticket', { as: world.root.as });
    const after = seriesIn(await scrape());
    const more = (name: string) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);
    expect(more('svc_decisions_total{about="api",outcome="deny",reason="unauthenticated"}')).toBe(2);
    expect(more('svc_decisions_total{about="api",outcome="allow",reason=""}')).toBe(2);
    expect(more('svc_api_requests_total{method="GET",route="/users",status="401"}')).toBe(2);
    expect(more('svc_api_requests_total{method="GET",route="/users",status="200"}')).toBe(1);
    expect(more('svc_api_request_seconds_count{method="GET",route="/users"}')).toBe(3);
    expect(more('svc_api_request_seconds_bucket{method="GET",route="/users",le="+Inf"}')).toBe(3);
    expect(more('svc_tickets_total{what="issued"}')).toBe(1);
    expect(after.get('svc_caller_cache_total{result="hit"}')).toBeGreaterThan(0);
    for (const name of ['svc_up', 'svc_queue_depth{queue="webhooks"}', 'svc_database_bytes{file="database"}'])
      expect(after.has(name), name).toBe(true);
    expect(await scrape()).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('nothing a sender chooses becomes a label', async () => {
    const before = new Set(seriesIn(await scrape()).keys());
    for (let at = 0; at < 60; at++) {
      const as = {
        authorization: `Bearer ${at}`,
        'x-forwarded-for': `192.0.2.${at}`,
        'x-request-id': `r${at}`,
      };
      await world.api('GET', `/users/${at}/"\\{x}`, { as });
      await world.api('GET', `/nothing-${at}?a=${at}`);
      await world.api(['PURGE', 'REPORT', 'PATCH'][at % 3] as string, '/users', { as });
      await world.api('POST', '/auth/login', { json: { email: `x${at}@y.z`, password: `${at}` } });
    }
    const fresh = [...seriesIn(await scrape()).keys()].filter((name) => !before.has(name));
    // New series may appear only for a status or error code, from a fixed list, that occurred for the first time.
    const buckets = fresh.filter((name) => !name.includes('_bucket'));
    expect(buckets.length).toBeLessThan(20);
    expect(fresh.join('\n')).not.toMatch(/nothing-|192\.0\.2|r59|\/59/);
  });
});

describe.each(targets)('without SVC_METRICS_TOKEN, on $name', ({ start }) => {
  it('no bearer but an Admin’s reads them; a short one is refused at the start', async () => {
    const world = await World.start(start, { SVC_METRICS_TOKEN: 'short' });
    expect(world.server.output()).toContain(
      'SVC_METRICS_TOKEN is shorter than 16 characters; it is not accepted',
    );
    for (const token of ['short', '', 'undefined', 'null'])
      expect(await world.asks(bearer(token), '/metrics')).toBe('401 invalid token');
    await world.server.stop();
  });
});
