import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventFrame, openEvents } from '../support/event-stream.ts';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const CANARY = 'canary-that-must-not-show';
const FORBIDDEN = ['body', 'response', 'screenshot', 'url', 'title', 'subtitle'];

describe('live events of the lab', () => {
  let lab: RunningServer;
  let root: Record<string, string>;
  let ana: Person;
  let bob: Person;

  beforeAll(async () => {
    lab = await startLab();
    const cookie = await superAdmin(lab);
    root = { cookie };
    [ana, bob] = await Promise.all([
      makePerson(lab, cookie, 'ana@lab.test'),
      makePerson(lab, cookie, 'bob@lab.test'),
    ]);
  });
  afterAll(() => lab.stop());

  const of = (type: string, sessionId: string) => (frame: EventFrame) =>
    frame.type === type && (frame.payload.id ?? frame.payload.sessionId) === sessionId;
  const start = async (person: Person) => (await createSession(lab.url, pairOf(person))).body.value.sessionId;
  const command = (session: string, method: string, path: string, json?: unknown) =>
    request(`${lab.url}/session/${session}${path}`, { method, headers: ana.headers, json });

  it('sessions and their commands are seen by owner and override admins, in order (specification 6, contract 3.4)', async () => {
    const [mine, theirs, admins] = await Promise.all([
      openEvents(lab.url, ana.headers),
      openEvents(lab.url, bob.headers),
      openEvents(lab.url, root),
    ]);
    const id = await start(ana);
    await command(id, 'GET', '/context');
    await command(id, 'POST', '/execute/sync', {
      script: 'svc: setSessionName',
      args: [{ name: 'checkout' }],
    });
    await command(id, 'POST', '/execute/sync', { script: 'svc: addTag', args: [{ tag: 'smoke' }] });
    await command(id, 'DELETE', '');
    for (const stream of [mine, admins]) {
      await stream.until(of('session_ended', id));
      await stream.until(({ type, payload }) => type === 'session_command' && payload.method === 'DELETE');
      const types = stream.frames.filter(({ type }) => type.startsWith('session_')).map(({ type }) => type);
      expect(types).toEqual([
        'session_started',
        'session_command',
        'session_changed',
        'session_command',
        'session_changed',
        'session_command',
        'session_ended',
        'session_command',
      ]);
      const ended = stream.frames.find(of('session_ended', id));
      expect(ended?.payload).toMatchObject({ status: 'ended', name: 'checkout', tags: ['smoke'] });
    }
    expect(theirs.types.filter((type) => type.startsWith('session_'))).toEqual([]);
    for (const stream of [mine, theirs, admins]) await stream.close();
  });

  it('session_command is a summary without body, response, screenshot, url, title or subtitle (specification 6)', async () => {
    const stream = await openEvents(lab.url, ana.headers);
    const id = await start(ana);
    await command(id, 'POST', '/url', { url: `https://${CANARY}.test/?title=${CANARY}` });
    await command(id, 'POST', '/execute/sync', { script: CANARY, args: [CANARY] });
    await command(id, 'GET', '/screenshot');
    await command(id, 'GET', `/title?token=${CANARY}`);
    await command(id, 'DELETE', '');
    await stream.until(({ type, payload }) => type === 'session_command' && payload.method === 'DELETE');
    const commands = stream.frames.filter(({ type }) => type === 'session_command');
    expect(commands.map(({ payload }) => payload.path.split(id)[1])).toEqual([
      '/url',
      '/execute/sync',
      '/screenshot',
      '/title',
      '',
    ]);
    for (const { payload } of commands) {
      expect(payload).toEqual({
        sessionId: id,
        method: expect.any(String),
        path: expect.any(String),
        status: expect.any(Number),
        durationMs: expect.any(Number),
      });
      expect(FORBIDDEN.filter((field) => field in payload)).toEqual([]);
    }
    expect(JSON.stringify(stream.frames)).not.toContain(CANARY);
    await stream.close();
  });

  it('a change of team counts for an open connection at once (specification 6)', async () => {
    const api = (method: string, path: string, json?: unknown) =>
      lab.api(path, { method, headers: root, ...(json === undefined ? {} : { json }) });
    const { id: team } = (await (await api('POST', '/teams', { name: 'Red' })).json()) as { id: string };
    const [devices, witness] = [await openEvents(lab.url, bob.headers), await openEvents(lab.url, root)];
    let tags = 0;
    /**
     * Changes the phone.
     * @returns a function that recognises the event of this change
     */
    const touch = async () => {
      const tag = `tag-${++tags}`;
      await api('POST', '/device/tags', { udid: 'virtual-1', tags: [tag] });
      const { id } = await witness.until(({ payload }) => payload.tags?.includes(tag));
      return (frame: EventFrame) => frame.id === id;
    };
    await devices.until(await touch());
    await api('PUT', '/device/virtual-1/team', { teamId: team });
    const hidden = await touch();
    await api('POST', `/teams/${team}/members`, { userId: bob.userId });
    await devices.until(await touch());
    expect(devices.frames.some(hidden)).toBe(false);
    await api('DELETE', `/teams/${team}/members/${bob.userId}`);
    const hiddenAgain = await touch();
    await api('PUT', '/device/virtual-1/team', { teamId: null });
    await devices.until(await touch());
    expect(devices.frames.some(hiddenAgain)).toBe(false);
    for (const stream of [devices, witness]) await stream.close();
  });

  it('the log has the events, no commands, and pages through them (specification 6, contract 2 /event-log)', async () => {
    const read = async (query = '') =>
      (await lab.api(`/event-log${query}`, { headers: root })).json() as Promise<{
        items: EventFrame[];
        next: string | null;
      }>;
    const id = await start(ana);
    await command(id, 'GET', '/context');
    await command(id, 'DELETE', '');
    const { items } = await read();
    const about = items.filter(({ payload }) => payload.id === id).map(({ type }) => type);
    expect(about).toEqual(['session_ended', 'session_started']);
    expect(items.some(({ type }) => type === 'session_command' || type === 'audit')).toBe(false);
    const paged: EventFrame[] = [];
    for (let page = await read('?limit=3'); ; page = await read(`?limit=3&before=${page.next}`)) {
      paged.push(...page.items);
      if (page.next === null) break;
    }
    expect(paged).toEqual(items);
    // The log has the same ids as the live events.
    const live = await openEvents(lab.url, root, items.find(of('session_started', id))?.id);
    await live.until(of('session_ended', id));
    await live.close();
  });
});
