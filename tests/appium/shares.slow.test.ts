import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { createSession, makePerson, type Options, type Person, pairOf } from '../support/sessions.ts';

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;
let teamId: string;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_DEVICES: '4' } });
  admin = await signIn(lab.url);
  ana = await makePerson(lab, admin, 'ana@example.test');
  bob = await makePerson(lab, admin, 'bob@example.test');
  teamId = ((await api('POST', '/teams', { name: 'QA' })).body as { id: string }).id;
  for (const { userId } of [ana, bob]) await api('POST', `/teams/${teamId}/members`, { userId });
});
afterAll(() => lab.stop());

const api = async (
  method: string,
  path: string,
  json?: object,
  headers: Record<string, string> = { cookie: admin },
) => {
  const answer = await lab.api(path, { method, headers, ...(json === undefined ? {} : { json }) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
};
const limit = (limits: object) => api('PUT', `/teams/${teamId}/limits`, limits);
const create = (who: Person, options: Options = {}) => createSession(lab.url, { ...pairOf(who), ...options });
const end = (id: string) => api('DELETE', `/session/${id}`);
const FULL = 'limit_reached: the team QA may have 2 sessions at once, and has as many';

describe('creates of a team that has a limit', () => {
  it('no more sessions begin than the limit of a team, also when many are requested at the same time', async () => {
    await limit({ sessions: 2 });
    const made = await Promise.all(Array.from({ length: 6 }, (_, at) => create(at % 2 === 0 ? ana : bob)));
    const begun = made.filter(({ status }) => status === 200);
    expect(begun).toHaveLength(2);
    for (const { status, body } of made)
      if (status !== 200)
        expect([status, body.value.error, body.value.message]).toEqual([500, 'session not created', FULL]);
    const others = await create(await makePerson(lab, admin, 'cara@example.test'));
    expect(others.status).toBe(200);
    for (const { body } of [...begun, others]) await end(body.value.sessionId);
  });

  it('creates at the limit of a team wait for a session of the team to end, while others take the free phones, and the queue says why', async () => {
    const running = [await create(ana), await create(bob)];
    const waiting = create(ana, { queueSeconds: 60 });
    const queue = async () =>
      (await api('GET', '/queue', undefined, { cookie: ana.cookie })).body as {
        items: { because: string | null }[];
      };
    expect((await until(queue, ({ items }) => items.length === 1)).items[0]?.because).toBe(FULL);
    await end(running[0]?.body.value.sessionId as string);
    const served = await waiting;
    expect(served.status).toBe(200);
    for (const { body } of [running[1], served] as typeof running) await end(body.value.sessionId);
  });

  it('creates are not refused any more when the limit is gone, and sessions of agents count for their account', async () => {
    await limit({ sessions: 1 });
    const bearer = await lab.api('/auth/token', {
      method: 'POST',
      headers: { cookie: ana.cookie },
      json: { audience: 'svc-mcp', scopes: ['auto:use', 'svc:devices:read'] },
    });
    const { token } = (await bearer.json()) as { token: string };
    const call = async () => {
      const answer = await fetch(`${lab.url}/svc/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'start_session', arguments: {} },
        }),
      });
      return await answer.text();
    };
    const started = await call();
    expect(started).toContain('sessionId');
    expect((await create(ana)).body.value.message).toContain('the team QA may have 1 session at once');
    expect(await call()).toContain('the team QA may have 1 session at once');
    const sessions = (await api('GET', '/sessions')).body as { id: string; status: string }[];
    for (const { id, status } of sessions) if (status === 'running') await end(id);
    await limit({});
    const free = await create(ana);
    expect(free.status).toBe(200);
    await end(free.body.value.sessionId);
  });
});
