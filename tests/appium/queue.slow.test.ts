import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labInfo, type RunningServer, request, startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import {
  createSession,
  makePerson,
  type Options,
  type Person,
  pairOf,
  superAdmin,
} from '../support/sessions.ts';

let lab: RunningServer;
let cookie: string;
let ana: Person;
let bob: Person;
beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_DEVICES: '2', SVC_LAB_LOG_LEVEL: 'debug', SVC_LOG_LEVEL: 'debug' } });
  cookie = await superAdmin(lab);
  ana = await makePerson(lab, cookie, 'ana@queue.test');
  bob = await makePerson(lab, cookie, 'bob@queue.test');
});
afterAll(() => lab?.stop());

const named = (udid: string) => ({ capabilities: { 'appium:udid': udid } });
const create = (who: Person, options: Options, udid = 'virtual-1', headers: Record<string, string> = {}) =>
  createSession(lab.url, { ...pairOf(who), ...options }, { ...named(udid), headers });
const end = async (id: string) => {
  const { basePath } = await labInfo(lab.url);
  const session = await request(`${lab.url}/svc/api/session/${id}`, {
    method: 'DELETE',
    headers: { cookie, origin: lab.url },
  });
  expect(session.status, basePath).toBeLessThan(300);
};
const api = async (path: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  (await (await request(`${lab.url}/svc/api${path}`, { headers: { cookie } })).json()) as any;
const untilWaiting = (count: number) =>
  until(
    async () => (await api('/capabilities')).queue.waiting,
    (seen) => seen === count,
  );

describe('a create that finds its phone busy', () => {
  it('a create that finds its phone busy waits its turn, and the driver and the client do not see how long (contract 13)', async () => {
    const running = await create(ana, {});
    const first = create(bob, { queueSeconds: 60 });
    await untilWaiting(1);
    const second = create(ana, { queueSeconds: 60 });
    await untilWaiting(2);
    // A request for another phone is not delayed by the queue.
    const other = await create(ana, { queueSeconds: 60 }, 'virtual-2');
    await end(other.body.value.sessionId);
    await end(running.body.value.sessionId);
    const { body } = await first;
    expect(body.value.capabilities).not.toHaveProperty('svc:options');
    expect((await api(`/session/${body.value.sessionId}`)).owner.email).toBe('bob@queue.test');
    await end(body.value.sessionId);
    await end((await second).body.value.sessionId);
    expect(lab.output()).toMatch(/Session created .*waitedMs/);
    await lab.line(/Request answered .*waitedMs/);
  });

  it('a create that finds its phone busy is refused at its time with the same status, body and headers as without waiting (contract 13)', async () => {
    const running = await create(ana, {});
    const send = async (queueSeconds: number) => {
      const { basePath, capabilities } = await labInfo(lab.url);
      const options = { ...pairOf(bob), queueSeconds };
      const alwaysMatch = { ...capabilities, 'appium:udid': 'virtual-1', 'svc:options': options };
      const answer = await request(`${lab.url}${basePath}/session`, {
        method: 'POST',
        headers: { 'x-request-id': 'same' },
        json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
      });
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'));
      return { status: answer.status, headers, text: await answer.text() };
    };
    const now = await send(0);
    expect(await send(1)).toEqual(now);
    expect([now.status, now.text]).toEqual([500, expect.stringContaining('the phone is busy')]);
    await end(running.body.value.sessionId);
  });

  it.each([-1, 601, 1.5, '30', true])(
    'queueSeconds %j is refused with invalid argument (contract 13)',
    async (bad) => {
      for (const options of [
        { 'svc:options': { ...pairOf(ana), queueSeconds: bad } },
        { 'lab:options': { ...pairOf(ana), queueSeconds: bad } },
      ]) {
        const { status, body } = await createSession(lab.url, undefined, { capabilities: options });
        expect([status, body.value.error]).toEqual([400, 'invalid argument']);
      }
    },
  );

  it('svc:options wins over lab:options, and 0 does not wait (contract 13)', async () => {
    const running = await create(ana, {});
    const capabilities = {
      'appium:udid': 'virtual-1',
      'svc:options': { ...pairOf(bob), queueSeconds: 0 },
      'lab:options': { queueSeconds: 600 },
    };
    expect((await createSession(lab.url, undefined, { capabilities })).status).toBe(500);
    await end(running.body.value.sessionId);
  });

  it('a create that finds its phone busy leaves when its client disconnects, and gets no phone (contract 13)', async () => {
    const running = await create(ana, {});
    const { basePath, capabilities } = await labInfo(lab.url);
    const alwaysMatch = {
      ...capabilities,
      'appium:udid': 'virtual-1',
      'svc:options': { ...pairOf(bob), queueSeconds: 600 },
    };
    const gone = httpRequest(`${lab.url}${basePath}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    gone.on('error', () => undefined);
    gone.end(JSON.stringify({ capabilities: { alwaysMatch, firstMatch: [{}] } }));
    await untilWaiting(1);
    const { items } = await api('/queue');
    expect(items).toMatchObject([{ kind: 'session', place: 1, wants: { udid: 'virtual-1' } }]);
    gone.destroy();
    await untilWaiting(0);
    await end(running.body.value.sessionId);
    const next = await create(ana, {});
    expect(next.status).toBe(200);
    await end(next.body.value.sessionId);
  });

  it('a create that finds its phone busy waits at the session limit, which a raised limit ends within 5 s (contract 13)', async () => {
    const save = (maxSessions: number | null) =>
      request(`${lab.url}/svc/api/config`, {
        method: 'POST',
        headers: { cookie, origin: lab.url },
        json: { maxSessions },
      });
    await save(1);
    const running = await create(ana, {});
    const waiting = create(bob, { queueSeconds: 60 }, 'virtual-2');
    await untilWaiting(1);
    await save(2);
    const { body } = await waiting;
    expect(body.value.capabilities).toMatchObject({ udid: 'virtual-2' });
    await save(null);
    await end(body.value.sessionId);
    await end(running.body.value.sessionId);
  });

  it('a create that finds its phone busy is refused when its account becomes Inactive, and nobody waits then (contract 13)', async () => {
    const eve = await makePerson(lab, cookie, 'eve@queue.test');
    const running = await create(ana, {});
    const waiting = create(eve, { queueSeconds: 600 });
    await untilWaiting(1);
    await request(`${lab.url}/svc/api/users/${eve.userId}`, {
      method: 'PATCH',
      headers: { cookie, origin: lab.url },
      json: { status: 'Inactive' },
    });
    const { status, body } = await waiting;
    expect([status, body.value.error, body.value.message]).toEqual([
      400,
      'invalid argument',
      'credentials are invalid, revoked, or lack the sessions scope',
    ]);
    await end(running.body.value.sessionId);
  });

  it('a create that finds its phone busy gets the same session twice with one idempotency key, and is answered when the server stops (contract 13)', async () => {
    const running = await create(ana, {});
    const headers = { 'x-idempotency-key': 'k1' };
    const twice = [
      create(bob, { queueSeconds: 60 }, 'virtual-1', headers),
      create(bob, { queueSeconds: 60 }, 'virtual-1', headers),
    ];
    await untilWaiting(1);
    await end(running.body.value.sessionId);
    const [first, second] = await Promise.all(twice);
    expect(first?.body.value.sessionId).toBe(second?.body.value.sessionId);
    const last = create(ana, { queueSeconds: 600 });
    await untilWaiting(1);
    const stopped = lab.stop();
    expect(await last).toMatchObject({ status: 503, body: { value: { error: 'session not created' } } });
    expect((await stopped).code).toBe(0);
  });
});
