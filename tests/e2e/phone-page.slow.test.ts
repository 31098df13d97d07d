import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { upgrade } from '../support/web-socket.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { openAs, row } from './support/people.ts';

const PHONE = 'adb-1';
const DEVICES = `${PHONE} device product:p model:Pixel_8 device:d transport_id:1\n`;

const browsers = useBrowser();
let adb: ScriptedAdb;
let world: World;
let holder: Person;
let other: Person;

/** An adb server with one phone, on which a shell runs until it is cut. */
function serve(service: string, socket: Socket): void {
  if (service === 'host:track-devices-l') socket.write(okay(frame(DEVICES)));
  else if (service.startsWith('host:transport:')) socket.write(okay());
  else if (service.endsWith(':features')) socket.end(okay(frame('shell_v2,cmd')));
  else if (service.startsWith('shell:getprop')) socket.end(okay('14\n'));
  else if (service.startsWith('shell:')) socket.write(okay('running\n'));
  else socket.end(`FAIL${frame('closed')}`);
}

beforeAll(async () => {
  adb = await scriptedAdb(serve);
  world = await World.start(startApi, { SVC_ADB: `127.0.0.1:${adb.port}` });
  holder = await world.person();
  other = await world.person();
  await until(
    () => world.ok('GET', '/devices', { as: world.root.as }),
    (devices) => devices.length === 1,
  );
});
afterAll(async () => {
  await world.server.stop();
  await adb.close();
});

const lease = (person: Person) =>
  world.ok('POST', '/leases', { as: person.as, json: { udid: PHONE, minutes: 30 } });
const page = (person: Person, refusals: number[] = []) =>
  openAs(browsers, world, person.as, `devices?udid=${PHONE}`, { refusals });

it('the holder sees the command for adb and who is connected, and cuts a connection (contract 16.1)', async () => {
  const { leaseId } = await lease(holder);
  const shown = await page(holder);
  await shown.getByText(`svc adb ${PHONE} --connect`).waitFor();
  await shown.getByText('Nobody is connected.').waitFor();
  await inspect(shown, 'phone-leased');
  const { ticket } = await world.ok('POST', `/control/${PHONE}/adb/ticket`, { as: holder.as });
  const { socket } = await upgrade(world.url, `/svc/api/control/${PHONE}/adb?ticket=${ticket}`);
  if (socket === undefined) throw new Error('adb was refused');
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ service: 'shell:logcat' }));
  const use = await row(shown, 'Connected now', holder.email);
  await use.getByText('just now').waitFor();
  await use.getByText(/B \/ \d+ B$/).waitFor();
  await inspect(shown, 'phone-adb');
  await use.getByRole('button', { name: `Cut the connections of ${holder.email}` }).click();
  await closed;
  await shown.getByText('Nobody is connected.').waitFor();
  const others = await page(other);
  await others.getByRole('heading', { name: 'Last sessions' }).waitFor();
  expect(await others.getByText('svc adb').count()).toBe(0);
  await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
});

it('a user waits for a phone that another holds, and gets it when it is given back (contract 13)', async () => {
  const { leaseId } = await lease(holder);
  const waiting = await page(other);
  await waiting.getByText(`Leased to ${holder.email}.`).waitFor();
  await waiting.getByRole('button', { name: 'Wait for it' }).click();
  await waiting.getByText('You are next.').waitFor();
  await inspect(waiting, 'phone-waiting');
  await waiting.getByRole('button', { name: 'Stop waiting' }).click();
  await waiting.getByText('Waiting for the phone.').waitFor({ state: 'detached' });
  await until(
    () => world.ok('GET', '/queue', { as: other.as }),
    ({ waiting: count }) => count === 0,
  );
  await waiting.getByRole('button', { name: 'Wait for it' }).click();
  await waiting.getByText('You are next.').waitFor();
  await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
  await waiting.getByText('The phone is leased to you.').waitFor();
  await waiting.getByRole('heading', { name: 'Your lease' }).waitFor();
  await waiting.getByText('Lease token').waitFor();
});
