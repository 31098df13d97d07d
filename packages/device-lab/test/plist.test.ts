import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listAttached } from '../src/sources/ios/attached.ts';
import { readPlist } from '../src/sources/ios/plist.ts';
import { LARGEST_MESSAGE_WHILE_OFF } from '../src/sources/ios/usbmuxd.ts';

const LARGE = 1024 * 1024;

/** @returns how long (ms) it takes to read the text */
function timeOf(xml: string): number {
  const began = performance.now();
  readPlist(xml);
  return performance.now() - began;
}

describe('a property list', () => {
  it.each([
    ['angle brackets', '<'],
    ['elements without an end', '<dict'],
    ['comments without an end', '<!--'],
    ['entities without an end', '&a'],
    ['white space', '<dict   '],
  ])(
    'a property list of 1 MiB of %s is read in linear time, which excludes an attack with usbmuxd',
    (_, part) => {
      const eighth = timeOf(part.repeat(LARGE / 8 / part.length));
      expect(timeOf(part.repeat(LARGE / part.length))).toBeLessThan(30 * eighth + 200);
    },
  );
});

describe('the list of attached devices', () => {
  let stop: () => void = () => undefined;
  afterEach(() => stop());

  /** Starts a usbmuxd that responds to any request with one message of about `bytes` bytes, in packets. */
  async function usbmuxdWith(bytes: number): Promise<{ host: string; port: number }> {
    const body = Buffer.from(
      `<plist version="1.0"><dict><key>DeviceList</key><array></array></dict>${' '.repeat(bytes)}</plist>`,
    );
    const head = Buffer.alloc(16);
    for (const [index, field] of [head.length + body.length, 1, 8, 1].entries())
      head.writeUInt32LE(field, index * 4);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        const all = Buffer.concat([head, body]);
        for (let at = 0; at < all.length; at += 1000) socket.write(all.subarray(at, at + 1000));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => server.close();
    return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
  }

  it('the list of attached devices is read from many packets', async () => {
    expect(await listAttached(await usbmuxdWith(40_000), 5_000)).toEqual([]);
  });

  it('the list of attached devices is refused if it exceeds 64 KiB while phones are off', async () => {
    const address = await usbmuxdWith(LARGEST_MESSAGE_WHILE_OFF);
    await expect(listAttached(address, 5_000)).rejects.toThrow('protocol of usbmuxd');
  });
});
