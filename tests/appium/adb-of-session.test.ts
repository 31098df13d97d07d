import { afterAll, beforeAll, expect, it } from 'vitest';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { localAdb, startAdbCommand } from '../streams/local-adb.ts';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const PHONE = 'adb-1';
const PHONES = [{ udid: PHONE, name: 'Phone', platform: 'Fake', osVersion: '1', adb: true }];

let adb: ScriptedAdb;
let lab: RunningServer;
let owner: Person;
let other: Person;

beforeAll(async () => {
  adb = await scriptedAdb((service, socket) => {
    if (service === 'host:track-devices-l') socket.write(okay(frame(`${PHONE} device transport_id:1\n`)));
    else if (service.startsWith('host:transport:')) socket.write(okay());
    else if (service.endsWith(':features')) socket.end(okay(frame('shell_v2')));
    else socket.end(okay('output\n'));
  });
  lab = await startLab({ env: { SVC_ADB: `127.0.0.1:${adb.port}`, SVC_DEVICES: JSON.stringify(PHONES) } });
  const admin = await superAdmin(lab);
  owner = await makePerson(lab, admin, 'owner@example.org', 'Admin');
  other = await makePerson(lab, admin, 'other@example.org', 'Admin');
});
afterAll(async () => {
  await lab?.stop();
  await adb?.close();
});

it('adb on a phone belongs to the owner of its session, and ends within a second with the session (contract 16.2, 16.3)', async () => {
  const ticketOf = async ({ headers }: Person) =>
    (await lab.api(`/control/${PHONE}/adb/ticket`, { method: 'POST', headers })).status;
  expect(await ticketOf(owner)).toBe(409);
  const created = await until(
    () => createSession(lab.url, pairOf(owner), { capabilities: { 'appium:udid': PHONE } }),
    ({ status }) => status === 200,
  );
  expect([await ticketOf(owner), await ticketOf(other)]).toEqual([200, 409]);
  const command = await startAdbCommand(lab.url, owner, PHONE);
  const local = await localAdb(command.address);
  expect(await local.run('shell:id')).toBe('output\n');
  const { sessionId } = created.body.value;
  await request(`${lab.url}/session/${sessionId}`, { method: 'DELETE', headers: owner.headers });
  const began = performance.now();
  await command.exited;
  expect(performance.now() - began).toBeLessThan(1_500);
  expect(command.sentence()).toBe(
    `The connection to ${PHONE} has ended: neither a lease nor a session of the caller.`,
  );
  local.socket.destroy();
});
