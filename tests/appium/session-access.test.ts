import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, type RunningServer, request, startLab } from '../support/lab.ts';
import { read, recordOf, type SessionRecord } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

interface Device {
  readonly udid: string;
  readonly status: string;
  readonly team: { readonly id: string; readonly name: string } | null;
  readonly tags: readonly string[];
  readonly session?: { readonly id: string };
}

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;
let lead: Person;
let root: Person['headers'];

beforeAll(async () => {
  lab = await startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_MAX_SESSIONS: '3' } });
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
  lead = await makePerson(lab, admin, 'lead@example.org', 'Admin');
  root = (await makeToken(lab.url, admin)).headers;
});
afterAll(() => lab?.stop());

const newSession = async (person: Person) =>
  (await createSession(lab.url, pairOf(person))).body.value.sessionId;
const drive = (id: string, headers: Record<string, string>, method = 'GET', route = '/timeouts') =>
  request(`${lab.url}/session/${id}${route}`, { method, headers });
const end = (id: string, headers: Record<string, string>) =>
  lab.api(`/session/${id}`, { method: 'DELETE', headers });

describe('who sees a session', () => {
  it('a session is visible to its owner and override admins, and unknown to all others, byte for byte (contract 2 /sessions, contract 3.4)', async () => {
    const own = await newSession(ana);
    const ownerless = (await createSession(lab.url, undefined)).body.value.sessionId;
    const listed = async (headers: Record<string, string>, query = '') =>
      (await read<SessionRecord[]>(lab, headers, `/sessions${query}`)).map(({ id }) => id);
    expect(await listed(ana.headers)).toEqual([own]);
    expect(await listed(bob.headers)).toEqual([]);
    // An Admin's Profile token lacks `admin`, but their sign-in has it (contract 3.1).
    expect(await listed(lead.headers)).toEqual([]);
    for (const headers of [root, { cookie: lead.cookie }])
      expect(await listed(headers)).toEqual([ownerless, own]);
    // Filters do not reveal sessions of other users, and the id of such a session is not accepted as the start of a
    // page.
    expect(await listed(root, '?owner=ANA@example.org')).toEqual([own]);
    expect(await listed(root, `?search=${own.slice(0, 13)}`)).toEqual([own]);
    const asked = [
      `?search=${own.slice(0, 13)}`,
      '?owner=ana@example.org',
      `?before=${ownerless}`,
      '?status=running',
    ];
    for (const query of asked) expect(await listed(bob.headers, query), query).toEqual([]);
    expect(await listed(ana.headers, `?before=${ownerless}`)).toEqual([]);

    for (const headers of [bob.headers, lead.headers]) {
      for (const [method, route] of [
        ['GET', ''],
        ['GET', '/session_log'],
        ['DELETE', ''],
      ] as const) {
        const ask = async (id: string) => {
          const sent = { ...headers, 'x-request-id': 'same' };
          const answer = await lab.api(`/session/${id}${route}`, { method, headers: sent });
          const received = [...answer.headers].filter(
            ([name]) => !/^(?:date|x-ratelimit|ratelimit)/.test(name),
          );
          return { status: answer.status, received, body: await answer.text() };
        };
        const hidden = await ask(own);
        expect(hidden.status).toBe(404);
        expect(hidden).toEqual(await ask('11111111-2222-4333-8444-555555555555'));
        expect(await ask(ownerless)).toEqual(hidden);
      }
    }
    expect((await drive(own, ana.headers)).status).toBe(200);
    for (const id of [own, ownerless]) expect((await end(id, root)).status).toBe(204);
    expect(await recordOf(lab, root, ownerless)).toMatchObject({ owner: null, status: 'ended' });
  });
});

describe('DELETE /session/:id', () => {
  it('an owner who ends a session ends the driver’s session and frees the phone, and ending it again changes nothing (contract 2 /sessions)', async () => {
    const id = await newSession(ana);
    expect((await end(id, ana.headers)).status).toBe(204);
    expect((await drive(id, ana.headers)).status).toBe(404);
    await lab.line(new RegExp(`Removing session '?${id}'? from our master session list`));
    const before = await recordOf(lab, ana.headers, id);
    expect(before).toMatchObject({ status: 'ended', failureCategory: null, failureReason: null });
    const devices = await read<Device[]>(lab, ana.headers, '/devices');
    expect(devices.map(({ status }) => status)).toEqual(['free', 'free', 'free', 'free']);
    expect((await end(id, ana.headers)).status).toBe(204);
    expect(await recordOf(lab, ana.headers, id)).toEqual(before);
  });

  it('a session ended by an override admin says that an administrator ended it (contract 3.4)', async () => {
    const id = await newSession(ana);
    expect((await end(id, root)).status).toBe(204);
    expect(await recordOf(lab, ana.headers, id)).toMatchObject({
      status: 'ended',
      failureReason: 'ended by an administrator',
    });
    const { items } = await read<{ items: { event: string; target: string }[] }>(lab, root, '/audit');
    expect(items).toContainEqual(expect.objectContaining({ event: 'session_ended', target: id }));
  });
});

describe('GET /devices', () => {
  it('GET /devices shows the pool and own teams, and sessions to those who may see them (contract 2 /devices, contract 3.5)', async () => {
    const team = (await (
      await lab.api('/teams', { method: 'POST', headers: root, json: { name: 'payments' } })
    ).json()) as { id: string };
    const assign = (udid: string, teamId: string | null) =>
      lab.api(`/device/${udid}/team`, { method: 'PUT', headers: root, json: { teamId } });
    expect((await assign('virtual-1', team.id)).status).toBe(200);
    await lab.api(`/teams/${team.id}/members`, {
      method: 'POST',
      headers: root,
      json: { userId: ana.userId },
    });
    const seen = async (headers: Record<string, string>) =>
      (await read<Device[]>(lab, headers, '/devices')).map(({ udid }) => udid);
    expect(await seen(bob.headers)).toEqual(['virtual-2', 'virtual-3', 'virtual-4']);
    for (const headers of [ana.headers, lead.headers, root]) expect(await seen(headers)).toHaveLength(4);

    const id = await newSession(bob);
    const device = async (headers: Record<string, string>) =>
      (await read<Device[]>(lab, headers, '/devices')).find(({ status }) => status === 'busy');
    expect(await device(bob.headers)).toMatchObject({ udid: 'virtual-2', team: null, session: { id } });
    expect(await device(root)).toMatchObject({ session: { id, owner: { id: bob.userId } } });
    expect(await device(ana.headers)).not.toHaveProperty('session');

    const tagged = await lab.api('/device/tags', {
      method: 'POST',
      headers: root,
      json: { udid: 'virtual-2', tags: ['slow', 'slow', 'de'] },
    });
    expect(await tagged.json()).toMatchObject({ udid: 'virtual-2', tags: ['slow', 'de'], status: 'busy' });
    const remove = () => lab.api(`/teams/${team.id}`, { method: 'DELETE', headers: root });
    expect(await (await remove()).json()).toMatchObject({ error: 'team_not_empty', devices: 1 });
    await assign('virtual-1', null);
    await end(id, bob.headers);
  });

  it.each([
    ['PUT', '/device/nobody/team', { teamId: null }, 404, 'not_found'],
    ['PUT', '/device/virtual-1/team', { teamId: 'nobody' }, 400, 'unknown_team'],
    ['POST', '/device/tags', { udid: 'nobody', tags: [] }, 404, 'not_found'],
    ['POST', '/device/tags', { udid: 'virtual-1', tags: [''] }, 400, 'bad_request'],
  ])('%s %s %j is %i %s (contract 2 /devices)', async (method, path, json, status, error) => {
    const answer = await lab.api(path, { method, headers: root, json });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: { error } });
    expect((await lab.api(path, { method, headers: ana.headers, json })).status).toBe(403);
  });
});

describe('the team selector', () => {
  it('the team selector takes an id or exact name, selects a phone of that team or none, and works only for its members (contract 6.4)', async () => {
    const made = await lab.api('/teams', { method: 'POST', headers: root, json: { name: 'Checkout' } });
    const { id: teamId } = (await made.json()) as { id: string };
    const members = `/teams/${teamId}/members`;
    await lab.api(members, { method: 'POST', headers: root, json: { userId: bob.userId } });
    await lab.api('/device/virtual-4/team', { method: 'PUT', headers: root, json: { teamId } });
    const ask = async (person: Person, team: string) =>
      (await createSession(lab.url, { ...pairOf(person), team })).body.value;
    for (const team of [teamId, 'Checkout']) {
      const { sessionId } = await ask(bob, team);
      expect((await recordOf(lab, bob.headers, sessionId)).device).toMatchObject({ udid: 'virtual-4' });
      await end(sessionId, bob.headers);
    }
    for (const [person, team] of [
      [ana, teamId],
      [ana, 'Checkout'],
      [bob, 'checkout'],
    ] as const) {
      expect(await ask(person, team)).toMatchObject({ error: 'invalid argument' });
    }
    await lab.api('/device/virtual-4/team', { method: 'PUT', headers: root, json: { teamId: null } });
    expect(await ask(bob, 'Checkout')).toMatchObject({ error: 'session not created' });
  });
});

describe('maxSessions', () => {
  it('maxSessions counts running and starting sessions, also when all ask at once (specification 8.2)', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => createSession(lab.url, pairOf(ana))));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(3);
    for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
      expect({ status, error: body.value.error }).toEqual({ status: 500, error: 'session not created' });
    }
    const [first, ...others] = made.map(({ body }) => body.value.sessionId);
    await end(first as string, ana.headers);
    const next = await newSession(ana);
    expect((await createSession(lab.url, pairOf(ana))).status).toBe(500);
    for (const id of [...others, next]) await end(id, ana.headers);
  });

  it('saved over the API it counts from the next create on (contract 2, /config; specification 8.2)', async () => {
    const setting = async (maxSessions: number | null) => {
      const answer = await lab.api('/config', { method: 'POST', headers: root, json: { maxSessions } });
      expect(answer.status).toBe(200);
    };
    const running = [await newSession(ana), await newSession(ana)];
    await setting(1);
    expect((await createSession(lab.url, pairOf(ana))).body.value.message).toContain(
      'limit of 1 session at once',
    );
    for (const id of running) expect((await drive(id, ana.headers)).status).toBe(200);
    await setting(-1);
    for (let more = 0; more < 2; more += 1) running.push(await newSession(ana));
    await setting(null);
    expect((await createSession(lab.url, pairOf(ana))).body.value.message).toContain('limit of 3 sessions');
    for (const id of running) await end(id, ana.headers);
  });
});

describe('GET /explain/:requestId', () => {
  const explain = async (id: string, headers: Record<string, string> = root) => {
    const answer = await lab.api(`/explain/${id}`, { headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('GET /explain says why a command was refused, to Admins only; the client learns nothing (contract 7)', async () => {
    const id = await newSession(ana);
    const refused = await drive(id, { ...bob.headers, 'x-request-id': 'my-run.1' });
    expect(refused.status).toBe(404);
    expect(refused.headers.get('x-request-id')).toBe('my-run.1');
    expect((await explain('my-run.1')).body).toEqual({
      requestId: 'my-run.1',
      at: expect.any(String),
      kind: 'command',
      method: 'GET',
      path: `/session/${id}/timeouts`,
      status: 404,
      error: 'invalid session id',
      reason: 'the session belongs to someone else',
      caller: bob.userId,
      address: '127.0.0.1',
      sessionId: id,
    });
    await drive(id, { 'x-request-id': 'my-run.1' });
    expect((await explain('my-run.1')).body).toMatchObject({
      reason: 'no credentials',
      earlier: [{ reason: 'the session belongs to someone else', caller: bob.userId }],
    });
    expect((await explain('my-run.1', bob.headers)).status).toBe(403);
    expect((await explain('my-run.1', lead.headers)).status).toBe(403);
    await drive(id, {});
    const line = await lab.line(/Command refused: .*caller no credentials/);
    const logged = /"request":"([^"]+)"/.exec(line)?.[1] as string;
    expect((await explain(logged)).body).toMatchObject({ reason: 'no credentials', caller: null });
    await end(id, ana.headers);
  });

  it('GET /explain says why a request to the API was refused, and never what it presented (contract 7)', async () => {
    const token = `svct_${'a'.repeat(49)}`;
    const bad = await lab.api('/auth/me', {
      headers: { 'x-svc-access-key': ana.accessKey, 'x-svc-token': token, 'x-request-id': 'bad-pair' },
    });
    expect(bad.status).toBe(401);
    await lab.api('/users?token=in-the-query', { headers: { ...ana.headers, 'x-request-id': 'no-role' } });
    expect((await explain('bad-pair')).body).toMatchObject({
      kind: 'api',
      status: 401,
      caller: null,
    });
    expect((await explain('no-role')).body).toMatchObject({
      path: '/svc/api/users',
      error: 'insufficient_role',
      caller: ana.userId,
    });
    const explained = JSON.stringify([await explain('bad-pair'), await explain('no-role')]);
    for (const secret of [token, ana.token, 'in-the-query']) expect(explained).not.toContain(secret);
    expect((await explain('nobody-knows')).status).toBe(404);
  });
});
