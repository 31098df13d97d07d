import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { read, recordOf, type SessionRecord } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))('better-sqlite3');

const SESSIONS = 300;
/** 150 texts of 2,000 characters, which are stored unchanged. */
const LARGE = Array.from({ length: 150 }, (_, index) => `note ${index} `.padEnd(2_000, 'words of a client '));

let lab: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
  const admin = await superAdmin(lab);
  [ana, bob] = [
    await makePerson(lab, admin, 'ana@example.org'),
    await makePerson(lab, admin, 'bob@example.org'),
  ];
});
afterAll(() => lab?.stop());

it('a session with 300 KB of capabilities is stored without the large ones, and its client gets all of them (contract 2)', async () => {
  const capabilities = { 'appium:notes': LARGE, 'appium:more': 'a small one' };
  const { status, body } = await createSession(lab.url, pairOf(ana), { capabilities });
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  const { sessionId, capabilities: answered } = body.value as unknown as SessionRecord & {
    sessionId: string;
  };
  expect(answered.notes).toHaveLength(150);
  const stored = await recordOf(lab, { cookie: ana.cookie }, sessionId);
  expect(stored.capabilities).toMatchObject({ more: 'a small one', udid: stored.device?.udid });
  expect(JSON.stringify(stored.capabilities).length).toBeLessThan(64 * 1024);
  expect(stored.capabilities['svc:leftOut']).toMatchObject({ names: expect.arrayContaining(['notes']) });
});

it('commands of others go on while a Member reads 300 sessions of 300 KB that an older version stored (contract 2)', async () => {
  const database = new Database(join(lab.dataDir, 'svc.db'));
  const insert = database.prepare(`
    insert into driver_sessions (id, status, owner_id, started_at, ended_at, tags, capabilities)
    values (?, 'ended', ?, ?, ?, '[]', ?)`);
  const text = JSON.stringify({ 'appium:notes': LARGE });
  database.transaction(() => {
    for (let at = 1; at <= SESSIONS; at += 1) insert.run(`old-${at}`, ana.userId, at, at + 1, text);
  })();
  database.close();

  const { body } = await createSession(lab.url, pairOf(bob));
  const command = async () => {
    const answer = await request(`${lab.url}/session/${body.value.sessionId}/orientation`, {
      headers: bob.headers,
    });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  };
  await command();
  let isOver = false;
  const list = read<SessionRecord[]>(lab, { cookie: ana.cookie }, '/sessions?limit=500').finally(() => {
    isOver = true;
  });
  let commands = 0;
  for (; !isOver; commands += 1) await command();
  const sessions = await list;
  expect(sessions.filter(({ id }) => id.startsWith('old-')).map(({ id }) => id)).toEqual(
    Array.from({ length: SESSIONS }, (_, index) => `old-${SESSIONS - index}`),
  );
  // In one piece, the list would take 3 s, in which no command would get a response.
  expect(commands).toBeGreaterThan(20);
});
