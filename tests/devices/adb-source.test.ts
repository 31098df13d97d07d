import type { Socket } from 'node:net';
import { silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/lab.ts';
import { type FollowOptions, followAdb } from './support/follow-adb.ts';
import { type AdbScript, frame, okay, scriptedAdb, wellBehaved } from './support/scripted-adb.ts';

const LINE = 'u1                     device usb:1-1 product:p model:Pixel_8 device:d transport_id:1\n';

let log: ReturnType<typeof silentLog>;
let ends: (() => unknown)[];
beforeEach(() => {
  log = silentLog();
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

function follow(port: number, options: FollowOptions = {}) {
  const followed = followAdb(port, log, options);
  ends.push(() => followed.source.stop());
  return followed;
}

/** Sends one byte at a time, endlessly. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('O'), 20);
  socket.on('close', () => clearInterval(timer));
}

async function scripted(script: AdbScript, port = 0) {
  const server = await scriptedAdb(script, port);
  ends.push(() => server.close());
  return server;
}

describe('the phones of an adb server (contract 2 /devices)', () => {
  it('the phones of an adb server come and go with its list, named by their serial, model and version; only state `device` counts (contract 2 /devices)', async () => {
    const server = await scripted(wellBehaved(() => LINE));
    const { udids } = follow(server.port);
    expect(await udids('u1')).toEqual([
      {
        udid: 'u1',
        name: 'Pixel 8',
        platform: 'Android',
        osVersion: '14',
        node: null,
        mjpegUrl: null,
        h264Url: null,
        logs: 'adb',
        ...{ model: 'Pixel 8', manufacturer: null, apiLevel: null, kind: 'real', avd: null },
      },
    ]);
    server.list(
      `${LINE}u2 offline transport_id:2\nu3 unauthorized usb:1\nu4 no permissions; see [http://x]\nu5\tdevice\n`,
    );
    expect((await udids('u1', 'u5')).map(({ name }) => name)).toEqual(['Pixel 8', 'u5']);
    server.list('u5\tdevice\n');
    await udids('u5');
    server.list('');
    await udids();
    expect(server.asked.filter((service) => service.startsWith('host:transport:'))).toEqual([
      'host:transport:u1',
      'host:transport:u5',
    ]);
  });

  it('the phones of an adb server are what the operator says about them, once they are plugged in (contract 2 /devices)', async () => {
    const server = await scripted(wellBehaved(() => LINE));
    const details = new Map([['u1', { name: 'Left shelf', mjpegUrl: 'http://127.0.0.1:9100/' }]]);
    expect(await follow(server.port, { details }).udids('u1')).toMatchObject([
      { udid: 'u1', name: 'Left shelf', mjpegUrl: 'http://127.0.0.1:9100/', osVersion: '14' },
    ]);
  });

  it.each<[string, AdbScript]>([
    ['says nothing', () => undefined],
    ['refuses', (_service, socket) => socket.end(`FAIL${frame('device not found')}`)],
    ['answers by the megabyte', (_service, socket) => socket.write(okay('1 '.repeat(5_000_000)))],
    ['answers nonsense', (_service, socket) => socket.end(okay('\u0000\u001b[31m<script>'))],
    ['drips', (_service, socket) => drip(socket)],
  ])('one that %s for its version holds up itself only, and is there with none', async (_name, script) => {
    const asked = new Set<unknown>();
    const server = await scripted((service, socket) => {
      if (service === 'host:transport:bad') asked.add(socket);
      if (service.startsWith('shell:') && asked.has(socket)) script(service, socket);
      else wellBehaved(() => `bad device transport_id:2\n${LINE}`)(service, socket);
    });
    const { udids } = follow(server.port);
    expect(await udids('bad', 'u1')).toMatchObject([{ osVersion: 'unknown' }, { osVersion: '14' }]);
  });
});

describe('an adb server that', () => {
  it.each<[string, AdbScript]>([
    ['sends garbage', (_service, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['sends a garbage length', (_service, socket) => socket.write(okay(`${frame(LINE)}zzzz`))],
    ['stops within a length', (_service, socket) => socket.write(okay(`${frame(LINE)}00`))],
    ['stops within a list', (_service, socket) => socket.write(okay(`${frame(LINE)}ffffhalf`))],
    ['refuses', (_service, socket) => socket.end(`FAIL${frame('unknown host service')}`)],
    ['refuses with garbage', (_service, socket) => socket.write('FAILzzzz')],
    ['never answers', () => undefined],
    ['never lists', (_service, socket) => socket.write(okay())],
    ['hangs up', (_service, socket) => socket.destroy()],
    ['hangs up after a list', (_service, socket) => socket.end(okay(frame(LINE)))],
  ])('%s is left and asked again until it behaves; its phones are away meanwhile', async (_name, script) => {
    let misbehaves = true;
    const server = await scripted((service, socket) => {
      if (misbehaves && service === 'host:track-devices-l') script(service, socket);
      else wellBehaved(() => LINE)(service, socket);
    });
    const { udids } = follow(server.port);
    await expect
      .poll(() => server.asked.filter((service) => service.endsWith('-l')).length)
      .toBeGreaterThan(2);
    await udids();
    misbehaves = false;
    await udids('u1');
    expect(log.messages('warn')).toEqual(['The adb server does not respond: its phones are away']);
  });

  it('an adb server that sends without end is never read faster than it is understood', async () => {
    const list = frame('x'.repeat(65_535));
    const MOST = 64_000_000;
    let sent = 0;
    const server = await scripted((service, socket) => {
      if (!service.endsWith('-l')) return;
      socket.write('OKAY');
      const flood = () => {
        if (!socket.writable || sent > MOST) return;
        sent += list.length;
        socket.write(list, flood);
      };
      flood();
    });
    const before = process.memoryUsage().rss;
    const { source } = follow(server.port);
    await expect.poll(() => sent, { timeout: 20_000 }).toBeGreaterThan(MOST);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    source.stop();
  });

  it('an adb server that goes away takes its phones with it, and brings them back when it is there again', async () => {
    const first = await scriptedAdb(wellBehaved(() => LINE));
    const { udids } = follow(first.port);
    await udids('u1');
    await first.close();
    await udids();
    await scripted(
      wellBehaved(() => LINE),
      first.port,
    );
    await udids('u1');
    expect(log.messages('warn')).toHaveLength(1);
  });

  it('an adb server that is not there is asked no more once its source is stopped', async () => {
    const port = await freePort();
    const { source, udids } = follow(port, { longestRetry: 60_000, firstRetry: 60_000 });
    await udids();
    source.stop();
    const server = await scripted(
      wellBehaved(() => LINE),
      port,
    );
    await new Promise(setImmediate);
    expect(server.asked).toEqual([]);
  });
});
