import { spawnSync } from 'node:child_process';
import { runExecuteMethod } from '@svc/device-lab';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import { PNG, picturesIn } from '../conformance/support/recorded-lab.ts';
import { useBrowser } from '../e2e/support/browser.ts';
import { openApp } from '../support/app.ts';
import { type RunningServer, signIn, startApi } from '../support/lab.ts';
import { type ScreenPhone, screenPhone } from './support/screen-phone.ts';

const browsers = useBrowser();
let ends: (() => unknown)[];
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

interface Lab {
  readonly phone: ScreenPhone;
  readonly server: RunningServer;
  readonly cookie: string;
  /** What `GET /streams` returns. */
  streams(): Promise<unknown>;
  /** Opens the stream and collects its messages. */
  video(): Promise<{ readonly messages: Buffer[]; close(): void; isOpen(): boolean }>;
}

async function open(options: Parameters<typeof screenPhone>[0] = {}): Promise<Lab> {
  const phone = await screenPhone(options);
  ends.push(() => phone.close());
  const server = await startApi({ env: { SVC_ADB: `127.0.0.1:${phone.server.port}` } });
  ends.push(() => server.stop());
  const cookie = await signIn(server.url);
  const api = async (path: string, method = 'GET') =>
    (await server.api(`/control/${phone.serial}${path}`, { method, headers: { cookie } })).json();
  const all = { mjpeg: true, h264: true, logs: true };
  await expect.poll(() => api('/streams')).toEqual(all);
  const video = async () => {
    const { ticket } = (await api('/stream/ticket', 'POST')) as { ticket: string };
    const address = `${server.url}/svc/api/control/${phone.serial}/stream/h264?ticket=${ticket}`;
    const socket = new WebSocket(address.replace(/^http/, 'ws'));
    const messages: Buffer[] = [];
    // Set before the socket is open, because the first messages may arrive with the response.
    socket.on('message', (bytes: Buffer) => messages.push(bytes));
    const isOpen = () => socket.readyState === WebSocket.OPEN;
    return { messages, isOpen, close: () => socket.close() };
  };
  return { phone, server, cookie, streams: () => api('/streams'), video };
}

/** @returns the size of each picture, as ffmpeg decodes it, and what ffmpeg complains about */
function decoded(messages: readonly Buffer[]) {
  const args = [
    '-v',
    'error',
    '-f',
    'h264',
    '-i',
    '-',
    '-autoscale',
    '0',
    '-vf',
    'showinfo',
    '-f',
    'null',
    '-',
  ];
  const input = Buffer.concat(messages);
  const { stderr } = spawnSync('ffmpeg', args, { input, encoding: 'utf8' });
  const shown = spawnSync('ffmpeg', args.with(1, 'info'), { input, encoding: 'utf8' }).stderr;
  return { errors: stderr, sizes: [...shown.matchAll(/showinfo.* s:(\d+x\d+) /g)].map(([, size]) => size) };
}

it('the video of an adb phone can be decoded from the first message of each viewer, and its process ends with the last (contract 2 /control)', async () => {
  const { phone, video } = await open();
  const first = await video();
  await expect.poll(() => first.messages.length).toBeGreaterThan(5);
  const second = await video();
  await expect.poll(() => second.messages.length).toBeGreaterThan(5);
  first.close();
  second.close();
  await expect.poll(() => phone.isBusy()).toBe(false);
  for (const { messages } of [first, second]) {
    const { errors, sizes } = decoded(messages);
    expect([errors, new Set(sizes), sizes.length]).toEqual(['', new Set(['180x320']), messages.length]);
  }
  expect(phone.recordings()).toBe(1);
});

it('viewers stay connected when `screenrecord` reaches its limit and when the screen turns (contract 2 /control)', async () => {
  const { phone, video } = await open({ limit: 1 });
  const viewer = await video();
  await expect.poll(() => phone.recordings()).toBeGreaterThan(2);
  phone.turn();
  await expect.poll(() => decoded(viewer.messages).sizes.at(-1)).toBe('320x180');
  expect([viewer.isOpen(), decoded(viewer.messages).errors]).toEqual([true, '']);
});

it('a rotation ends `screenrecord` before its limit, so that the size fits again (contract 2 /control)', async () => {
  const { phone, video } = await open();
  const viewer = await video();
  await expect.poll(() => viewer.messages.length).toBeGreaterThan(2);
  phone.turn();
  await expect.poll(() => phone.recordings()).toBe(2);
  await expect.poll(() => decoded(viewer.messages).sizes.at(-1)).toBe('320x180');
  expect(viewer.isOpen()).toBe(true);
});

it('the dashboard shows the video of an adb phone, and also after a rotation (contract 2 /control)', async () => {
  const { phone, server, cookie } = await open();
  const page = await browsers.page({ baseURL: server.url, cookie });
  await page.goto(`/svc/devices?udid=${phone.serial}`);
  await page.locator('.preview[data-state="shown"][data-kind="h264"]').waitFor();
  const size = () =>
    page.evaluate('(({ width, height }) => [width, height])(document.querySelector(".preview canvas"))');
  await expect.poll(size).toEqual([180, 320]);
  phone.turn();
  await expect.poll(size).toEqual([320, 180]);
  await page.goto('about:blank');
  await expect.poll(() => phone.isBusy()).toBe(false);
});

it('the dashboard shows pictures of `screencap` if `screenrecord` fails (contract 2 /control)', async () => {
  const { phone, server, cookie, streams } = await open({ withoutRecorder: true });
  const page = await browsers.page({ baseURL: server.url, cookie });
  await page.goto(`/svc/devices?udid=${phone.serial}`);
  await page.locator('.preview[data-state="shown"][data-kind="mjpeg"]').waitFor();
  const size = () =>
    page.evaluate('(({ naturalWidth }) => naturalWidth)(document.querySelector(".preview img"))');
  await expect.poll(size).toBe(180);
  expect(await streams()).toEqual({ mjpeg: true, h264: false, logs: true });
  phone.turn();
  await expect.poll(size).toBe(320);
  await page.goto('about:blank');
  await expect.poll(() => phone.isBusy()).toBe(false);
});

it('a session on an adb phone is recorded by `screencap`, beside a viewer of the video, and evidence is a picture of its driver (contract 11)', async () => {
  const phone = await screenPhone();
  ends.push(() => phone.close());
  const { app, services, close } = await openApp({ SVC_ADB: `127.0.0.1:${phone.server.port}` });
  ends.push(close);
  const { lab } = services.modules.lab.offers;
  const { previews } = services.modules.previews.offers;
  const { recorder } = services.modules.recordings.offers;
  const deviceOf = () => lab.devices.byUdid(phone.serial);
  await expect.poll(deviceOf).toBeDefined();
  const video: Uint8Array[] = [];
  const watched = previews.video(deviceOf() as NonNullable<ReturnType<typeof deviceOf>>);
  ends.push(watched?.open({ frame: (bytes) => void video.push(bytes), ended: () => undefined }) ?? (() => 0));

  const admission = { ...sampleAdmission(), recording: { record: 'all', saveDeviceLogs: true } as const };
  const at = { alwaysMatch: { 'appium:udid': phone.serial } };
  await lab.creates.createSession(admission, at, sampleStart('s1'));
  const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
    { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  const headers = { cookie: `svc_dashboard_session=${cookie}` };
  const ask = (path: string) => app.inject({ url: `/svc/api/session/s1${path}`, headers });
  const pictures = async () => (await ask('/recording')).json().pictures;
  const captures = () => phone.server.asked.filter((service) => service.startsWith('exec:screencap')).length;
  await expect.poll(pictures).toBe(1);
  const before = captures();
  await expect.poll(captures).toBeGreaterThan(before + 1);
  expect(await pictures()).toBe(1);
  phone.turn();
  await expect.poll(pictures).toBe(2);
  const evidence = () => runExecuteMethod(lab, 's1', 'captureEvidence', []);
  expect(await evidence()).toEqual({ recorded: true });
  recorder.takeScreenshots(async () => PNG);
  expect(await evidence()).toEqual({ recorded: true });
  expect(video.length).toBeGreaterThan(0);
  lab.recordEnd('s1', { category: null, reason: null });

  expect((await ask('/recording')).json()).toMatchObject({
    state: 'complete',
    marks: [{ kind: 'evidence' }, { kind: 'evidence' }],
    deviceLogRows: 2,
  });
  const stored = picturesIn((await ask('/recording/chunks/0')).rawPayload);
  const sizes = stored.map(({ content }) => `${content.readUInt32BE(16)}x${content.readUInt32BE(20)}`);
  expect(sizes).toEqual(['180x320', '320x180', '320x180', '1x1']);
  expect((await ask(`/recording/picture?at=${stored[0]?.at}`)).rawPayload).toEqual(stored[0]?.content);
  expect((await ask('/device_log?after=1&limit=5')).json()).toMatchObject({
    items: [{ seq: 2, line: expect.stringContaining('no total') }],
  });
});
