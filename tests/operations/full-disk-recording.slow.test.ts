import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventFrame, openEvents } from '../support/event-stream.ts';
import { type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { read, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { SmallDisk } from './support/small-disk.ts';

interface Recording {
  readonly state: string;
  readonly pictures: number;
}

let disk: SmallDisk;
let lab: RunningServer;
let ana: Person;

beforeAll(async () => {
  disk = await SmallDisk.mount(24 * 1024);
  const env = { SVC_RECORDING: 'all', SVC_LAB_LOG_LEVEL: 'info' };
  lab = await startLab({ env, dataDir: disk.folder, within: disk.enter });
  ana = await makePerson(lab, await signIn(lab.url), 'ana@lab.test');
});
afterAll(async () => {
  await lab?.stop('SIGKILL');
  await disk?.unmount();
});

const command = (id: string, method: string, path: string, json?: unknown) =>
  request(`${lab.url}/session/${id}${path}`, { method, headers: ana.headers, json });
const evidence = (id: string) =>
  command(id, 'POST', '/execute/sync', { script: 'svc: captureEvidence', args: [{}] });
const recordingOf = (id: string) => read<Recording>(lab, ana.headers, `/session/${id}/recording`);
const start = async (): Promise<string> => (await createSession(lab.url, pairOf(ana))).body.value.sessionId;

it('a full disk stops a recording with one log line and one event, never a session (contract 11)', async () => {
  const stream = await openEvents(lab.url, ana.headers);
  const id = await start();
  await until(
    () => recordingOf(id),
    ({ pictures }) => pictures > 0,
  );
  const { pictures } = await recordingOf(id);

  disk.fill();
  const stopped = ({ type, payload }: EventFrame) => type === 'recording_stopped' && payload.id === id;
  await evidence(id);
  await stream.until(stopped);
  await evidence(id);
  expect((await command(id, 'GET', '/orientation')).status).toBe(200);
  expect(lab.output().match(/The recording of a session has stopped/g)).toHaveLength(1);
  expect(stream.frames.filter(stopped)).toHaveLength(1);

  disk.makeRoom();
  expect((await command(id, 'DELETE', '')).status).toBe(200);
  await until(
    () => recordingOf(id),
    ({ state }) => state === 'complete',
  );
  expect((await recordingOf(id)).pictures).toBeGreaterThanOrEqual(pictures);

  const later = await start();
  await until(
    () => recordingOf(later),
    (found) => found.pictures > 0,
  );
  expect((await command(later, 'DELETE', '')).status).toBe(200);
  await until(
    () => recordingOf(later),
    ({ state }) => state === 'complete',
  );
  expect(readdirSync(join(disk.seen, 'recordings/temporary'))).toEqual([]);
  await stream.close();
}, 90_000);
