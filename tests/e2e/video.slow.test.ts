import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, signIn, startApi } from '../support/lab.ts';
import { type PageOptions, useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { startVideoCamera, type VideoCamera } from './support/video-camera.ts';

const browsers = useBrowser();
let camera: VideoCamera;
let server: RunningServer;
let root: string;

beforeAll(async () => {
  camera = await startVideoCamera(SMALLEST_JPEG);
  const { videoUrl, noiseUrl, mjpegUrl } = camera;
  const phone = { platform: 'Android', osVersion: '14' };
  const listed = [
    { udid: 'both', name: 'Both', ...phone, mjpegUrl, h264Url: videoUrl },
    { udid: 'video', name: 'Video', ...phone, h264Url: videoUrl },
    { udid: 'noise', name: 'Noise', ...phone, mjpegUrl, h264Url: noiseUrl },
    { udid: 'dark', name: 'Dark', ...phone },
  ];
  server = await startApi({ env: { SVC_DEVICES: JSON.stringify(listed) } });
  root = await signIn(server.url);
});
afterAll(async () => {
  camera?.close();
  await server?.stop();
});

/** A grey picture of one pixel. */
const SMALLEST_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);

async function open(udid: string, options: PageOptions = {}): Promise<Page> {
  const page = await browsers.page({ baseURL: server.url, cookie: root, ...options });
  await page.goto(`/svc/devices?udid=${udid}`);
  return page;
}

const shown = (page: Page, kind: 'h264' | 'mjpeg') =>
  page.locator(`.preview[data-state="shown"][data-kind="${kind}"]`).waitFor();

/** @returns the strongest of red, green and blue in the middle of the picture */
const colour = (page: Page) =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('.preview canvas');
    const [red, green, blue] = canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data;
    return { [red]: 'red', [green]: 'green', [blue]: 'blue' }[Math.max(red, green, blue)];
  })()`);

it('a phone with H.264 is shown by it, in its own colours and size (contract 2 /control, specification 5.8.1)', async () => {
  const page = await open('both');
  await shown(page, 'h264');
  for (const each of ['red', 'green', 'blue']) await expect.poll(() => colour(page)).toBe(each);
  expect(await page.getByRole('img', { name: 'Screen of Both' }).count()).toBe(1);
  const size = await page.evaluate(
    '(({ width, height }) => [width, height])(document.querySelector("canvas"))',
  );
  expect(size).toEqual([96, 160]);
  expect(camera.mjpegOpened()).toBe(0);
  await inspect(page, 'device-video');
});

it('H.264 that is cut is opened again with a new ticket (contract 2 /control)', async () => {
  const page = await open('video', { cuts: true });
  const tickets: string[] = [];
  page.on('websocket', (socket) => {
    if (socket.url().includes('/h264')) tickets.push(socket.url());
  });
  await shown(page, 'h264');
  camera.cut();
  await page.getByText('The connection to the screen was lost. Trying again…').waitFor();
  await shown(page, 'h264');
  expect(new Set(tickets).size).toBe(2);
});

it('H.264 that is none, or that the browser cannot decode, gives way to MJPEG (contract 2 /control)', async () => {
  const noise = await open('noise');
  await shown(noise, 'mjpeg');
  const old = await browsers.page({ baseURL: server.url, cookie: root });
  await old.addInitScript('delete window.VideoDecoder');
  await old.goto('/svc/devices?udid=both');
  await shown(old, 'mjpeg');
  await old.goto('/svc/devices?udid=video');
  await old.getByText('which this browser cannot show on this page').waitFor();
  await inspect(old, 'device-unplayable');
});

it('a phone without a screen says so, and its streams are told (contract 2 /control)', async () => {
  const page = await open('dark');
  await page.getByText('No picture is available for this phone at the moment.').waitFor();
  const streams = async (udid: string) =>
    (await server.api(`/control/${udid}/streams`, { headers: { cookie: root } })).json();
  expect(await streams('dark')).toEqual({ mjpeg: false, h264: false, logs: false });
  expect(await streams('both')).toEqual({ mjpeg: true, h264: true, logs: false });
});
