import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventFrame, type EventStream, openEvents } from '../support/event-stream.ts';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

let lab: RunningServer;
let root: Record<string, string>;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_DEVICES: '2' } });
  root = { cookie: await superAdmin(lab) };
  ana = await makePerson(lab, root.cookie as string, 'ana@lab.test');
  bob = await makePerson(lab, root.cookie as string, 'bob@lab.test');
});
afterAll(() => lab?.stop());

const api = async (method: string, path: string, json?: unknown) => {
  const answer = await lab.api(path, { method, headers: root, ...(json === undefined ? {} : { json }) });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
};
const create = (person: Person, capabilities: Record<string, unknown> = {}) =>
  createSession(lab.url, pairOf(person), { capabilities: { 'appium:udid': 'virtual-1', ...capabilities } });
const quit = (id: string, person: Person) =>
  request(`${lab.url}/session/${id}`, { method: 'DELETE', headers: person.headers });
const isStatus = (status: string, udid: string) => (frame: EventFrame) =>
  frame.type === 'device_changed' && frame.payload.udid === udid && frame.payload.status === status;

/** Waits until the events report these statuses of a phone, one after the other. */
async function expectStatuses(stream: EventStream, udid: string, ...statuses: string[]): Promise<void> {
  let seen = 0;
  for (const status of statuses) {
    const isNext = isStatus(status, udid);
    const frame = await stream.until((each) => stream.frames.indexOf(each) >= seen && isNext(each));
    seen = stream.frames.indexOf(frame) + 1;
  }
}

describe('who sees a phone', () => {
  it('a person who sees a phone is told when it turns busy and free, without the session and its owner (contract 2, /events)', async () => {
    const streams = await Promise.all([bob.headers, ana.headers, root].map((as) => openEvents(lab.url, as)));
    const { body } = await create(ana);
    const id = body.value.sessionId;
    await quit(id, ana);
    for (const stream of streams) await expectStatuses(stream, 'virtual-1', 'busy', 'free');
    const [other] = streams;
    const text = JSON.stringify(other?.frames);
    for (const secret of [id, ana.userId, 'ana@lab.test', ana.accessKey]) expect(text).not.toContain(secret);
    expect(other?.frames.find(isStatus('busy', 'virtual-1'))).toEqual({
      id: expect.any(String),
      type: 'device_changed',
      at: expect.any(String),
      payload: {
        ...{ udid: 'virtual-1', name: 'Virtual phone 1', platform: 'Fake', osVersion: expect.any(String) },
        ...{ node: null, teamId: null, status: 'busy', tags: [], idleSince: null, note: null },
        ...{
          kind: 'virtual',
          model: null,
          manufacturer: null,
          apiLevel: null,
          avd: null,
          outOfService: null,
        },
      },
    });
    for (const stream of streams) await stream.close();
  });

  it('a person who sees a phone is told of a create that fails (contract 2, /events)', async () => {
    const stream = await openEvents(lab.url, bob.headers);
    const refused = await create(ana, { 'appium:app': '/nowhere.xml' });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await expectStatuses(stream, 'virtual-1', 'busy', 'free');
    await stream.close();
  });

  it('a person who sees a phone is told by whom it is leased, and until when (contract 2, /leases)', async () => {
    const stream = await openEvents(lab.url, bob.headers);
    const lease = { udid: 'virtual-2', minutes: 5 };
    const made = await lab.api('/leases', { method: 'POST', headers: { cookie: ana.cookie }, json: lease });
    const { leaseId, leaseToken } = (await made.json()) as { leaseId: string; leaseToken: string };
    await lab.api(`/leases/${leaseId}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
    await stream.until(({ type }) => type === 'lease_ended');
    const { payload } = await stream.until(({ type }) => type === 'lease_created');
    expect(payload).toMatchObject({ udid: 'virtual-2', owner: { email: 'ana@lab.test' } });
    expect(JSON.stringify(stream.frames)).not.toContain(leaseToken);
    await stream.close();
  });

  it('a person who sees a phone is told that it is hidden when it goes to another team, and nothing more (contract 3.5)', async () => {
    const { id: team } = await api('POST', '/teams', { name: 'Red' });
    const [member, admin] = [await openEvents(lab.url, bob.headers), await openEvents(lab.url, root)];
    await api('PUT', '/device/virtual-2/team', { teamId: team });
    const hidden = await member.until(({ type }) => type === 'device_hidden');
    expect(hidden.payload).toEqual({ udid: 'virtual-2' });
    await admin.until(({ type, payload }) => type === 'device_changed' && payload.teamId === team);
    await create(ana);
    await expectStatuses(member, 'virtual-1', 'busy');
    await expectStatuses(admin, 'virtual-1', 'busy');
    expect(JSON.stringify(member.frames)).not.toContain(team);
    expect(admin.types).not.toContain('device_hidden');
    for (const stream of [member, admin]) await stream.close();
  });

  it('a person who sees a phone is told when their own account sees other phones, and no one else is (contract 3.5)', async () => {
    const [team] = await api('GET', '/teams');
    const [own, others] = [await openEvents(lab.url, bob.headers), await openEvents(lab.url, ana.headers)];
    const changes = [
      () => api('POST', `/teams/${team.id}/members`, { userId: bob.userId }),
      () => api('DELETE', `/teams/${team.id}/members/${bob.userId}`),
      () => api('PATCH', `/users/${bob.userId}`, { role: 'Admin' }),
      () => api('PATCH', `/users/${bob.userId}`, { role: 'Member', teamIds: [team.id] }),
    ];
    for (const [done, change] of changes.entries()) {
      await change();
      const isNext = ({ type }: EventFrame) => type === 'account_changed';
      await own.until(() => own.frames.filter(isNext).length > done);
    }
    expect(own.frames.find(({ type }) => type === 'account_changed')?.payload).toEqual({ id: bob.userId });
    await api('PUT', '/device/virtual-2/team', { teamId: null });
    await others.until(({ type, payload }) => type === 'device_changed' && payload.udid === 'virtual-2');
    expect(others.types).not.toContain('account_changed');
    for (const stream of [own, others]) await stream.close();
  });

  it('the event log leaves changes of status out (contract 2, /event-log)', async () => {
    const { items } = (await api('GET', '/event-log?limit=500')) as { items: EventFrame[] };
    expect(items.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session_started', 'device_changed']),
    );
    expect(items.filter(({ payload }) => payload.status === 'busy')).toEqual([]);
  });
});
