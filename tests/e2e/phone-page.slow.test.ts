import { once } from 'node:events';
import type { Socket } from 'node:net';
import { AndroidPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { upgrade } from '../support/web-socket.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { HOSTILE, openAs, row, toasted } from './support/people.ts';

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
  await waiting.getByText(`Leased to ${holder.email}`).waitFor();
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
  const [own] = await world.ok('GET', '/leases', { as: other.as });
  await world.ok('DELETE', `/leases/${own.leaseId}`, { as: other.as });
});

it('the lease token is shown to who waited even if the lease is on the page before the response (contract 13)', async () => {
  const { leaseId } = await lease(holder);
  const third = await world.person();
  const waiting = await page(third);
  const held = waiting.getByRole('heading', { name: 'Your lease' });
  await waiting.route('**/svc/api/leases', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await held.waitFor();
    await route.fulfill({ response });
  });
  await waiting.getByRole('button', { name: 'Wait for it' }).click();
  await waiting.getByText('You are next.').waitFor();
  await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
  await waiting.getByText('Lease token').waitFor();
});

describe('a phone that is cared for', () => {
  const UDID = 'R58N';
  let phones: AndroidPhones;
  let lab: World;

  beforeAll(async () => {
    phones = await AndroidPhones.start({ phones: [{ serial: UDID }] });
    lab = await World.start(startApi, {
      SVC_ADB: `127.0.0.1:${phones.adb.port}`,
      SVC_CLEAN: 'data',
      SVC_PROBE_SECONDS: '1',
    });
    await until(
      () => lab.ok('GET', '/devices', { as: lab.root.as }),
      ([phone]) => phone?.status === 'free' && phone.health !== null,
    );
  }, 60_000);
  afterAll(async () => {
    await lab?.server.stop();
    await phones?.stop();
  });

  /** History of a week with a reading every 15 minutes, except for one day on which the phone was in use. */
  function week() {
    const [quarter, day] = [15 * 60_000, 24 * 60 * 60_000];
    const now = Date.now();
    const probes = Array.from({ length: 7 * 96 }, (_, index) => ({
      at: new Date(now - 7 * day + index * quarter).toISOString(),
      battery: 20 + ((index * 7) % 80),
      temperature: 25 + (index % 100) / 10,
      storageFree: 9e9,
    })).filter((_, index) => index < 200 || index > 300);
    const days = [4, 3, 1].map((ago) => ({
      day: new Date(now - (now % day) - ago * day).toISOString(),
      ...{ ended: 7, failed: 1, refused: ago === 1 ? 4 : 0 },
    }));
    return { probes, days, failureRate: 7 / 25 };
  }

  it('an Admin sees the health of a phone over the week and what a cleaning would remove (contract 17.2, 17.3)', async () => {
    const as = lab.root.as;
    await lab.ok('POST', '/leases', { as, json: { udid: UDID, minutes: 5 } });
    await until(
      async () => phones.adb.requests.filter((each) => each.includes(':packages')).length,
      (count) => count > 0,
    );
    const shown = await openAs(browsers, lab, as, `devices?udid=${UDID}`);
    await shown.getByRole('heading', { name: 'Health' }).waitFor();
    await shown.getByText('No session in 7 days').waitFor();
    const plan = shown.getByRole('button', { name: 'Read the phone' });
    await expect
      .poll(async () => {
        await plan.click();
        return await shown.getByText('Nothing has changed on the phone').count();
      })
      .toBe(1);
    const phone = phones.phone(UDID);
    phone.install({ name: 'com.left.shop', versionCode: 1, versionName: '1', isSystem: false });
    phone.files.write('/sdcard/Download/<img src=x>.txt', 'left');
    phone.settings.set('global http_proxy', 'proxy:8080');
    await plan.click();
    const removal = await row(shown, 'What would be cleaned', 'com.left.shop');
    await removal.getByText('it was not installed when the holder began').waitFor();
    await row(shown, 'What would be cleaned', '/sdcard/Download/<img src=x>.txt');
    await row(shown, 'What would be cleaned', 'HTTP proxy');
    expect(phone.packages.has('com.left.shop')).toBe(true);
    await inspect(shown, 'phone-cleaning');
    await shown.route(`**/device/${UDID}/history`, (route) => route.fulfill({ json: week() }));
    await shown.reload();
    await shown.getByText('28 % of 25 sessions').waitFor();
    await shown.getByText('A failed test is no fault').waitFor();
    expect(await shown.locator('.health-chart path').count()).toBe(2);
    const days = shown.getByRole('table', { name: 'Days' });
    expect(await days.locator('tbody tr').count()).toBeGreaterThanOrEqual(7);
    await inspect(shown, 'phone-health');
  });

  it('an Admin gives a phone a name and a note, which everyone who sees it reads only as text (contract 17.1)', async () => {
    const shown = await openAs(browsers, lab, lab.root.as, `devices?udid=${UDID}`);
    const heading = shown.getByRole('heading', { level: 1 });
    const ownName = (await heading.textContent()) ?? '';
    await shown.getByLabel('Name', { exact: true }).fill(HOSTILE);
    await shown.getByLabel(/^Note/).fill(`${HOSTILE}\nStands on the left shelf`);
    await shown.getByRole('button', { name: 'Save' }).click();
    await toasted(shown, 'Saved.');
    await shown.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    const member = await lab.person();
    const theirs = await openAs(browsers, lab, member.as, `devices?udid=${UDID}`);
    await theirs.getByText('Stands on the left shelf').waitFor();
    await theirs.getByRole('heading', { name: 'Health' }).waitFor();
    // The screen of the phone is an image too.
    expect(await theirs.locator('main script, main img[src="x"]').count()).toBe(0);
    for (const name of ['Save', 'Read the phone'])
      expect(await theirs.getByRole('button', { name, exact: true }).count()).toBe(0);
    await inspect(theirs, 'phone-note');
    await shown.getByLabel('Name', { exact: true }).fill('');
    await shown.getByRole('button', { name: 'Save' }).click();
    await shown.getByRole('heading', { level: 1, name: ownName, exact: true }).waitFor();
  });
});
