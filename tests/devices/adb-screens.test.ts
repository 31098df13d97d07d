import type { Socket } from 'node:net';
import type { FrameSink, FrameSource } from '@svc/device-lab';
import { AdbScreens } from '@svc/previews';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdbScript, frame, okay, type ScriptedAdb, scriptedAdb } from './support/scripted-adb.ts';

const START = [0, 0, 0, 1];
const KEY = Buffer.from([...START, 0x67, 66, 0, 10, ...START, 0x68, 1, ...START, 0x65, 0x80, 1]);
const delta = (content: number) => Buffer.from([...START, 0x41, 0x80, content]);
const png = (content: string) => Buffer.from(`\x89PNG\r\n\x1a\n${content}IEND\xae\x42\x60\x82`, 'latin1');

let ends: (() => unknown)[];
let now: number;
beforeEach(() => {
  ends = [];
  now = 0;
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

/** Function that responds instead of a program on the phone. */
type Program = (socket: Socket, count: number) => void;

interface Phone {
  readonly server: ScriptedAdb;
  readonly screens: AdbScreens;
  /** Connections on which `screenrecord` runs. */
  readonly recording: Set<Socket>;
}

async function phone({ record, capture }: { record?: Program; capture?: Program }): Promise<Phone> {
  const recording = new Set<Socket>();
  const counts = { record: 0, capture: 0 };
  const script: AdbScript = (service, socket) => {
    if (service === 'host:transport:gone') socket.end(`FAIL${frame("device 'gone' not found")}`);
    else if (service.startsWith('host:transport:')) socket.write(okay());
    else if (service.startsWith('exec:screenrecord --output-format=h264 ')) {
      recording.add(socket);
      socket.once('close', () => recording.delete(socket)).write(okay());
      record?.(socket, ++counts.record);
    } else if (service.startsWith('exec:screencap -p')) {
      socket.write(okay());
      capture?.(socket, ++counts.capture);
    } else socket.end(`FAIL${frame('unexpected')}`);
  };
  const server = await scriptedAdb(script);
  ends.push(() => server.close());
  const patience = { firstPicture: 2_000, betweenStarts: 1, pause: 5, betweenPictures: 1 };
  const screens = new AdbScreens({ host: '127.0.0.1', port: server.port }, { now: () => now }, patience);
  return { server, screens, recording };
}

/** Sends the bytes to one socket after the other, so that each part arrives separately. */
async function sendAll(sockets: Iterable<Socket>, bytes: Buffer): Promise<void> {
  for (const socket of sockets) await new Promise((sent) => socket.write(bytes, sent));
}

interface Seen {
  readonly seen: string[];
  readonly close: () => void;
}

function watch(source: FrameSource | null, limit = Number.POSITIVE_INFINITY): Seen {
  const seen: string[] = [];
  const close = source?.open({
    frame: (bytes) => {
      const isKey = Buffer.from(bytes).equals(KEY);
      seen.push(isKey ? 'key' : `picture ${bytes.at(-1)}`);
      if (seen.length === limit) leave();
    },
    ended: (reason) => void seen.push(`ended: ${reason}`),
  });
  const leave = () => close?.();
  ends.push(leave);
  return { seen, close: leave };
}

function look(screens: AdbScreens, serial: string): Seen & { readonly frames: Buffer[] } {
  const frames: Buffer[] = [];
  const seen: string[] = [];
  const sink: FrameSink = {
    frame: (bytes) => void frames.push(Buffer.from(bytes)),
    ended: (reason) => void seen.push(reason),
  };
  const close = screens.frames(serial).open(sink);
  ends.push(close);
  return { frames, seen, close };
}

describe('the video of an adb phone (contract 2 /control)', () => {
  it('the video of an adb phone comes from one `screenrecord` for all viewers, which ends with the last of them (contract 2 /control)', async () => {
    const { server, screens, recording } = await phone({ record: (socket) => socket.write(KEY) });
    const [first, second] = [watch(screens.video('phone')), watch(screens.video('phone'))];
    await expect.poll(() => [first.seen, second.seen]).toEqual([['key'], ['key']]);
    await sendAll(recording, delta(2));
    await expect.poll(() => second.seen).toEqual(['key', 'picture 2']);
    const late = watch(screens.video('phone'));
    expect(late.seen).toEqual(['key', 'picture 2']);
    first.close();
    second.close();
    await sendAll(recording, delta(3));
    await expect.poll(() => late.seen).toEqual(['key', 'picture 2', 'picture 3']);
    expect(server.asked.filter((service) => service.startsWith('exec:'))).toHaveLength(1);
    late.close();
    await expect.poll(() => server.open.size).toBe(0);
    expect(first.seen).toEqual(['key', 'picture 2']);
  });

  it('the video of an adb phone continues when `screenrecord` ends at its time limit or because the screen has turned (contract 2 /control)', async () => {
    const { server, screens } = await phone({
      record: (socket, count) => {
        // Bytes after the last complete picture may be an incomplete picture, so they are not forwarded.
        if (count < 4) socket.end(Buffer.concat([KEY, delta(count), delta(0), delta(0).subarray(0, 6)]));
        else socket.write(KEY);
      },
    });
    const { seen } = watch(screens.video('phone'));
    await expect
      .poll(() => seen)
      .toEqual(['key', 'picture 1', 'key', 'picture 2', 'key', 'picture 3', 'key']);
    expect(server.open.size).toBe(1);
  });

  it('the video of an adb phone starts again if the rest of a picture follows a pause that was taken for its end (contract 2 /control)', async () => {
    const { server, screens, recording } = await phone({ record: (socket) => socket.write(KEY) });
    const { seen } = watch(screens.video('phone'));
    await expect.poll(() => seen).toEqual(['key']);
    await sendAll(recording, Buffer.from([9, 9]));
    await expect.poll(() => seen).toEqual(['key', 'key']);
    await expect.poll(() => server.open.size).toBe(1);
  });

  it.each<[string, Program]>([
    ['is not installed', (socket) => socket.end('/system/bin/sh: screenrecord: not found\n')],
    ['ends without a picture', (socket) => socket.end()],
    ['sends something else', (socket) => socket.write('Display 0 cannot be recorded\n')],
    ['sends an invalid parameter set', (socket) => socket.write(Buffer.from([...START, 0x67, ...LONG]))],
  ])(
    'the video of an adb phone ends if `screenrecord` %s; the phone has none for the next minute (contract 2 /control)',
    async (_, record) => {
      const { server, screens } = await phone({ record });
      const { seen } = watch(screens.video('phone'));
      await expect.poll(() => seen).toEqual([expect.stringContaining('ended: ')]);
      await expect.poll(() => server.open.size).toBe(0);
      expect(screens.video('phone')).toBe(null);
      expect(screens.video('other')).not.toBe(null);
      now = 60_000;
      expect(screens.video('phone')).not.toBe(null);
    },
  );

  it('the video of an adb phone ends if the phone or the adb server is gone (contract 2 /control)', async () => {
    const { server, screens } = await phone({ record: (socket) => socket.write(KEY) });
    const gone = watch(screens.video('gone'));
    await expect.poll(() => gone.seen).toEqual([expect.stringContaining("device 'gone' not found")]);
    const { seen } = watch(screens.video('phone'));
    await expect.poll(() => seen).toEqual(['key']);
    await server.close();
    await expect.poll(() => seen).toEqual(['key', expect.stringContaining('ended: ')]);
  });

  it('the video of an adb phone leaves no connection behind if the viewer leaves first (contract 2 /control)', async () => {
    const { server, screens } = await phone({ record: (socket) => socket.write(KEY) });
    watch(screens.video('phone')).close();
    const { seen } = watch(screens.video('phone'), 1);
    await expect.poll(() => seen).toEqual(['key']);
    await expect.poll(() => server.open.size).toBe(0);
  });
});

/** Content of a parameter set that is too long. */
const LONG = new Array<number>(5_000).fill(1);

describe('pictures of an adb phone (contract 2 /control)', () => {
  it('pictures of an adb phone come from `screencap`, one call each, while there is a viewer (contract 2 /control)', async () => {
    const { server, screens } = await phone({
      capture: (socket, count) => socket.end(png(`number ${count}`)),
    });
    const { frames, seen, close } = look(screens, 'phone');
    await expect.poll(() => frames.length).toBeGreaterThanOrEqual(3);
    expect(frames.slice(0, 3)).toEqual([png('number 1'), png('number 2'), png('number 3')]);
    close();
    await expect.poll(() => server.open.size).toBe(0);
    const { length } = server.asked;
    const other = look(screens, 'other');
    await expect.poll(() => other.frames.length).toBeGreaterThanOrEqual(2);
    other.close();
    const later = server.asked.slice(length);
    expect([later.includes('host:transport:phone'), seen]).toEqual([false, []]);
  });

  it.each<[string, Program]>([
    ['nothing', (socket) => socket.end()],
    ['a message', (socket) => socket.end('Error: cannot read a secure screen\n')],
    ['a part of a picture', (socket) => socket.end(png('content').subarray(0, 15))],
    ['more than 8 MiB', (socket) => socket.end(png('x'.repeat(8 * 1024 * 1024)))],
  ])('pictures of an adb phone end if `screencap` gives %s (contract 2 /control)', async (_, capture) => {
    const { server, screens } = await phone({ capture });
    const { frames, seen } = look(screens, 'phone');
    await expect.poll(() => seen).toEqual(['no picture']);
    await expect.poll(() => server.open.size).toBe(0);
    expect(frames).toEqual([]);
  });

  it('pictures of an adb phone end if the phone is gone (contract 2 /control)', async () => {
    const { screens } = await phone({});
    const { seen } = look(screens, 'gone');
    await expect.poll(() => seen).toEqual([expect.stringContaining("device 'gone' not found")]);
  });
});

it('the commands sent to a phone are the same for every phone and viewer (contract 2 /control)', async () => {
  const { server, screens } = await phone({
    record: (socket) => socket.write(KEY),
    capture: (socket) => socket.end(png('')),
  });
  for (const serial of ['one', 'other; reboot']) {
    const { seen } = watch(screens.video(serial), 1);
    await expect.poll(() => seen).toEqual(['key']);
    const { frames, close } = look(screens, serial);
    await expect.poll(() => frames.length).toBeGreaterThan(0);
    close();
  }
  const programs = new Set(server.asked.filter((service) => !service.startsWith('host:transport:')));
  expect([programs.size, [...programs].join('').includes('reboot')]).toEqual([2, false]);
});
