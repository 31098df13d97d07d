import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, freshDataDir, type RunningServer, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { command, type Hub, startHub } from './support/hub.ts';
import { type StandInNode, startStandInNode } from './support/stand-in-node.ts';

const here = createRequire(import.meta.url);
const Database = createRequire(here.resolve('@svc/store-sqlite'))('better-sqlite3');
const TABLES = ['accounts', 'api_tokens'];

const dataDir = freshDataDir();
let hub: Hub;
let env: Record<string, string>;
let node: StandInNode;
let ana: Person;
/** A user whose key pair has not been checked yet. */
let bob: Person;
let id: string;

beforeAll(async () => {
  env = { PORT: String(await freePort()), SVC_LAB_DEVICES: '0', SVC_REQUIRE_COMMAND_AUTH: 'true' };
  hub = await startHub({ dataDir, env });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  node = await startStandInNode(hub, { udids: ['far-1', 'far-2'] });
  id = (await createSession(hub.url, pairOf(ana))).body.value.sessionId;
});
afterAll(() => node?.close());

/**
 * @returns the responses to a create-session request, to commands and to a socket, and how many of these requests
 * reached the node
 */
async function asked({ url }: RunningServer, person: Person) {
  const before = node.received.length + node.upgrades.length;
  const { status } = await createSession(url, pairOf(person));
  const statuses = [status];
  for (const [method, path] of [
    ['GET', '/timeouts'],
    ['POST', '/timeouts'],
    ['DELETE', ''],
  ] as const)
    statuses.push((await command(url, id, path, person.headers, method)).status);
  statuses.push((await upgrade(url, `/bidi/${id}`, person.headers)).status);
  return { statuses, forwarded: node.received.length + node.upgrades.length - before };
}

function rename(from: string, to: string): void {
  const database = new Database(join(dataDir, 'svc.db'));
  for (const table of TABLES) database.exec(`alter table ${table}${from} rename to ${table}${to}`);
  database.close();
}

const NOTHING = { statuses: [503, 503, 503, 503, 503], forwarded: 0 };

it('a hub that cannot look a caller up answers 503 and forwards nothing (contract 8.4)', async () => {
  rename('', '_gone');
  expect(await asked(hub, bob)).toEqual(NOTHING);
  rename('_gone', '');
});

it('a hub that cannot sign answers 503 and forwards nothing (contract 8.4)', async () => {
  await hub.stop('SIGKILL');
  writeFileSync(join(dataDir, 'signing-key.pem'), 'no key');
  const unable = await startLab({ dataDir, env });
  await node.register();
  expect(await asked(unable, ana)).toEqual(NOTHING);
});
