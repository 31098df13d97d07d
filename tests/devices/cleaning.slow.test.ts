import { runCommand } from '@svc/client/command';
import { AndroidPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, makeToken, type RunningServer, signIn, startApi } from '../support/lab.ts';

const UDID = 'R58N';
const patient = { timeout: 20_000, interval: 100 };
const app = (name: string) => ({ name, versionCode: 1, versionName: '1', isSystem: false });

let phones: AndroidPhones;
let server: RunningServer;
let cookie: string;
const dataDir = freshDataDir();

const start = async () => {
  const env = { SVC_ADB: `127.0.0.1:${phones.adb.port}`, SVC_PROBE_SECONDS: '0', SVC_CLEAN: 'data' };
  server = await startApi({ dataDir, env });
  cookie = await signIn(server.url);
};
const api = async (method: string, path: string, json?: object) => {
  const answer = await server.api(path, {
    method,
    headers: { cookie },
    ...(json === undefined ? {} : { json }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
};
const status = async () => {
  const { body } = await api('GET', '/devices');
  return body.find(({ udid }: { udid: string }) => udid === UDID)?.status;
};
const lease = async () => {
  const made = await api('POST', '/leases', { udid: UDID, minutes: 5 });
  expect(made.status).toBe(201);
  // The phone is read as soon as it is leased.
  await expect
    .poll(() => phones.adb.requests.filter((each) => each.includes(':packages')).length, patient)
    .toBe(1);
  phones.adb.requests.length = 0;
  return made.body.leaseId as string;
};
const stateOf = () => {
  const { packages, files, settings, properties, clipboard } = phones.phone(UDID);
  return {
    packages: [...packages.keys()].filter((name) => packages.get(name)?.isSystem === false),
    files: files.paths,
    proxy: settings.get('global http_proxy'),
    locale: properties.get('persist.sys.locale'),
    clipboard,
  };
};

beforeAll(async () => {
  phones = await AndroidPhones.start({ phones: [{ serial: UDID }] });
  const phone = phones.phone(UDID);
  for (const name of ['com.lab.wifi', 'io.appium.settings']) phone.install(app(name));
  phone.files.write('/sdcard/Download/handbook.pdf', 'lab');
  phone.properties.set('persist.sys.locale', 'en-US');
  await start();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await phones.stop();
});

describe('a scripted phone between two holders', () => {
  it('a scripted phone between two holders gets back the apps, files and values that it had before the lease (contract 17.3)', async () => {
    await expect.poll(status, patient).toBe('free');
    const before = stateOf();
    const id = await lease();
    const phone = phones.phone(UDID);
    for (const name of ['com.left.shop', 'io.appium.uiautomator2.server']) phone.install(app(name));
    phone.files.write("/sdcard/Download/it's $(reboot); `reboot`.txt", 'left');
    phone.files.write('/sdcard/Pictures/new folder/a\nb.png', 'left');
    phone.files.write('/data/local/tmp/-rf', 'left');
    phone.files.write('/sdcard/Documents/kept.txt', 'not one of the folders');
    phone.settings.set('global http_proxy', 'proxy:8080');
    phone.properties.set('persist.sys.locale', 'de-DE');
    phone.clipboard = 'a password';
    await api('DELETE', `/leases/${id}`);
    await expect.poll(status, patient).toBe('free');
    expect(stateOf()).toEqual({
      ...before,
      packages: [...before.packages, 'io.appium.uiautomator2.server'],
      files: [...before.files, '/sdcard/Documents/kept.txt'].sort(),
      proxy: ':0',
      clipboard: '',
    });
    expect([phone.reboots, phone.unknown]).toEqual([0, []]);
  });

  it('a scripted phone between two holders is read by a dry run, which tells an Admin what would be removed and why (contract 17.3)', async () => {
    phones.adb.requests.length = 0;
    const id = await lease();
    const phone = phones.phone(UDID);
    phone.install(app('com.left.shop'));
    phone.files.write('/sdcard/Download/left.txt', 'left');
    phone.settings.set('global http_proxy', 'proxy:8080');
    const plan = await api('GET', `/device/${UDID}/cleaning`);
    expect(plan).toMatchObject({ status: 200, body: { kept: false, since: expect.any(String) } });
    expect(plan.body.items).toEqual([
      { name: 'com.left.shop', why: 'it was not installed when the holder began' },
      { name: '/sdcard/Download/left.txt', why: 'it was not there when the holder began' },
      { name: 'httpProxy', why: 'it was :0 and is proxy:8080' },
    ]);
    expect(phone.packages.has('com.left.shop')).toBe(true);
    expect((await api('GET', '/device/unknown/cleaning')).status).toBe(404);
    const { accessKey, token } = await makeToken(server.url, cookie, { scopes: ['read', 'admin'] });
    const lines: string[] = [];
    const io = { out: (text: string) => void lines.push(text), err: (text: string) => void lines.push(text) };
    const env = { SVC_URL: server.url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
    expect(await runCommand(['clean', '--dry-run', UDID], env, io)).toBe(0);
    expect(lines.join('')).toContain('com.left.shop  it was not installed when the holder began');
    expect(await runCommand(['clean', UDID], env, io)).toBe(2);
    await api('DELETE', `/leases/${id}`);
    await expect.poll(status, patient).toBe('free');
    expect((await api('GET', `/device/${UDID}/cleaning`)).body).toEqual({
      since: null,
      kept: false,
      items: [],
    });
  });

  it('a scripted phone between two holders is cleaned as the setting clean of the running server says, from the next holder on (contract 17.3)', async () => {
    const phone = phones.phone(UDID);
    const set = async (clean: string | null) =>
      expect((await api('POST', '/config', { clean })).status).toBe(200);
    const use = async () => {
      phones.adb.requests.length = 0;
      const made = await api('POST', '/leases', { udid: UDID, minutes: 5 });
      if (mode !== 'off')
        await expect
          .poll(() => phones.adb.requests.filter((each) => each.includes(':packages')).length, patient)
          .toBe(1);
      phone.install(app('com.left.shop'));
      phone.files.write('/sdcard/Download/left.txt', 'left');
      await api('DELETE', `/leases/${made.body.leaseId}`);
      await expect.poll(status, patient).toBe('free');
      return [phone.packages.has('com.left.shop'), phone.files.paths.includes('/sdcard/Download/left.txt')];
    };
    let mode = 'apps';
    await set(mode);
    expect(await use()).toEqual([false, true]);
    mode = 'off';
    await set(mode);
    expect(await use()).toEqual([true, true]);
    expect((await api('POST', '/config', { clean: 'everything' })).body).toMatchObject({ field: 'clean' });
    mode = 'data';
    await set(null);
    phone.packages.delete('com.left.shop');
    phone.files.delete('/sdcard/Download/left.txt');
    expect(await use()).toEqual([false, false]);
  });

  it('a scripted phone between two holders is cleaned after the restart if the server was killed during the cleaning (contract 17.3)', async () => {
    phones.adb.requests.length = 0;
    const id = await lease();
    const phone = phones.phone(UDID);
    phone.install(app('com.left.shop'));
    phone.answers.unshift({ command: /^pm uninstall/, output: () => '' });
    await api('DELETE', `/leases/${id}`);
    await expect
      .poll(() => phones.adb.requests.some((each) => each.includes('pm uninstall')), patient)
      .toBe(true);
    await server.stop('SIGKILL');
    phone.answers.shift();
    await start();
    await expect.poll(status, patient).toBe('free');
    expect([...phone.packages.keys()]).not.toContain('com.left.shop');
    expect([...phone.packages.keys()]).toContain('com.lab.wifi');
  });
});
