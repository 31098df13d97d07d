import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Device, type DriverSession, NO_FACTS } from '@svc/device-lab';
import { Outbound } from '@svc/outbound';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceStreams } from '../src/upstreams/device-streams.ts';
import { mjpegUpstream } from '../src/upstreams/mjpeg-upstream.ts';

const asked: string[] = [];
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end();
    if (request.url === '/page') return void response.end('<html>');
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=b' });
    response.write('--b\r\nContent-Length: 4\r\n\r\n\xff\xd8\xff\xd9', 'latin1');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const phone = (change: Partial<Device> = {}): Device => ({
  udid: 'phone',
  name: 'Phone',
  platform: 'Android',
  osVersion: '14',
  node: null,
  mjpegUrl: null,
  h264Url: null,
  logs: null,
  teamId: null,
  ...NO_FACTS,
  ...change,
});

const sessionOn = (
  udid: string,
  capabilities: Record<string, unknown>,
  change: Partial<DriverSession> = {},
): DriverSession => ({
  id: `session of ${udid}`,
  name: null,
  status: 'running',
  ownerId: null,
  device: { udid, name: udid, platform: 'Android', osVersion: '14' },
  node: null,
  startedAt: 2,
  endedAt: null,
  failureCategory: null,
  failureReason: null,
  tags: [],
  healingTiers: null,
  startedBy: null,
  capabilities,
  ...change,
});

/** Streams of a lab that has given the MJPEG port to the sessions on `phone`. */
const streamsOf = (sessions: readonly DriverSession[], given: number | null = port) =>
  deviceStreams({
    lab: {
      sessions: { runningOn: (on: string) => [...sessions].find(({ device }) => device?.udid === on) },
      devices: { sourceOf: () => null },
      places: {
        mjpegPortOf: (id: string) =>
          sessions.find((each) => each.id === id)?.device?.udid === 'phone' ? given : null,
      },
    } as never,
    adb: { address: { host: '127.0.0.1', port: 1 }, isOn: () => false },
    ios: { env: {}, isReadable: () => false },
    clock: { now: Date.now },
    outbound: new Outbound(null),
    nodes: { frames: () => null, lines: () => null, video: () => null },
  });

const framesOf = (sessions: readonly DriverSession[], device = phone()) => streamsOf(sessions).frames(device);

/** Resolves with the first result of a source: the length of a frame, or the reason why the source ended. */
const firstOf = (source: ReturnType<typeof framesOf>) =>
  new Promise<string>((done) => {
    const close = source?.open({
      frame: (jpeg) => {
        done(`${jpeg.length} bytes`);
        setImmediate(() => close?.());
      },
      ended: (reason) => done(reason),
    });
    if (source === null) done('none');
  });

const android = (mjpegServerPort: unknown = port) => ({ automationName: 'UiAutomator2', mjpegServerPort });

describe("a phone's own pictures (contract 2 /control), at the port its session's driver forwards", () => {
  it.each(['UiAutomator2', 'uiautomator2', 'XCUITest'])(
    'pictures of a phone are had of %s, from loopback alone',
    async (name) => {
      asked.length = 0;
      const session = sessionOn('phone', {
        'appium:automationName': name,
        'appium:mjpegServerPort': String(port),
      });
      expect(await firstOf(framesOf([session]))).toBe('4 bytes');
      expect(asked).toEqual([`127.0.0.1:${port} /`]);
    },
  );

  it.each([
    ['no port', { mjpegServerPort: undefined }],
    ['another port than the lab gave', { mjpegServerPort: 9_100 }],
    ['an address for a port', { mjpegServerPort: '9100@example.org:80' }],
    [
      "the client's own address",
      { mjpegServerPort: undefined, mjpegScreenshotUrl: 'http://169.254.169.254/' },
    ],
  ])(
    'pictures of a phone are not taken with %s in the response of the driver (contract 14.2)',
    (_, change) => {
      expect(framesOf([sessionOn('phone', { ...android(), ...change })])).toBe(null);
    },
  );

  it('pictures of a phone are not taken at a port that the lab did not give (contract 14.2)', () => {
    expect(streamsOf([sessionOn('phone', android())], null).frames(phone())).toBe(null);
    expect(framesOf([sessionOn('other', android())], phone({ udid: 'other' }))).toBe(null);
  });

  it('no pictures are taken through the driver of a phone or session of a node, or of a phone without a session', () => {
    expect(framesOf([sessionOn('phone', android())], phone({ node: 'north' }))).toBe(null);
    expect(framesOf([sessionOn('other', android())])).toBe(null);
    expect(framesOf([sessionOn('phone', android(), { device: null })])).toBe(null);
  });

  it('end with the session: the address is looked up each time it is opened', async () => {
    const sessions = [sessionOn('phone', android())];
    const source = streamsOf(sessions).frames(phone());
    expect(await firstOf(source)).toBe('4 bytes');
    sessions.length = 0;
    expect(await firstOf(source)).toBe('no source');
  });
});

describe('an address of pictures', () => {
  it.each(['nowhere', '', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'http://'])(
    'an address of pictures that is not one gives nothing: %j',
    async (address) => {
      expect(await firstOf(mjpegUpstream(() => ({ url: address, connection: { agent: false } })))).toBe(
        'no source',
      );
    },
  );

  it('an address of pictures that redirects, sends a page or does not respond gives nothing', async () => {
    expect(
      await firstOf(
        mjpegUpstream(() => ({ url: `http://127.0.0.1:${port}/moved`, connection: { agent: false } })),
      ),
    ).toBe('no MJPEG');
    expect(
      await firstOf(
        mjpegUpstream(() => ({ url: `http://127.0.0.1:${port}/page`, connection: { agent: false } })),
      ),
    ).toBe('no MJPEG');
    expect(
      await firstOf(mjpegUpstream(() => ({ url: 'http://127.0.0.1:1/', connection: { agent: false } }))),
    ).toBe('ECONNREFUSED');
  });
});
