import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { AdbBridge } from '../src/command/adb/bridge.ts';
import { type AdbPacket, encodeHeader, PacketReader } from '../src/command/adb/protocol.ts';
import type { LabSockets } from '../src/command/phone/lab-sockets.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const LARGEST = 256 * KIB;

/** The local adb server, as the bridge sees it. */
class AdbServer extends EventEmitter {
  readonly received: AdbPacket[] = [];
  readonly #reader = new PacketReader();
  destroyed = false;
  setNoDelay(): void {}
  cork(): void {}
  uncork(): void {}
  write(bytes: Buffer): void {
    this.received.push(...this.#reader.push(bytes));
  }
  send(
    command: 'CNXN' | 'OPEN' | 'WRTE' | 'OKAY' | 'CLSE',
    first: number,
    second: number,
    payload = '',
  ): void {
    const bytes = Buffer.from(payload);
    this.emit('data', Buffer.concat([encodeHeader(command, first, second, bytes.length), bytes]));
  }
}

/** The socket of a service at the lab. */
class ServiceSocket extends EventEmitter {
  isPaused = false;
  bufferedAmount = 0;
  isClosed = false;
  readonly sent: { readonly bytes: Buffer; readonly done: () => void }[] = [];
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {
    this.isClosed = true;
  }
  send(bytes: Buffer, _options: object, done: () => void): void {
    this.sent.push({ bytes, done });
  }
}

async function opened() {
  const [adb, socket] = [new AdbServer(), new ServiceSocket()];
  const lab = {
    open: async (_message: object, open: (socket: WebSocket) => void) => open(socket as unknown as WebSocket),
  } as unknown as LabSockets;
  new AdbBridge(adb as unknown as Socket, lab, { features: [], name: 'p' }, () => undefined);
  adb.send('CNXN', 0x01000001, LARGEST, 'host::');
  adb.send('OPEN', 7, 0, 'sync:\0');
  await new Promise(setImmediate);
  const [, okay] = adb.received;
  expect(okay).toMatchObject({ command: 'OKAY', second: 7 });
  return { adb, socket, id: okay?.first ?? 0 };
}

it('a file from the phone reaches a slow adb server complete and in order, and the lab waits meanwhile (contract 16.2)', async () => {
  const { adb, socket, id } = await opened();
  const file = Buffer.from(Array.from({ length: 3 * MIB }, (_, at) => (at * 7 + (at >> 8)) & 255));
  let at = 0;
  const parts: Buffer[] = [];
  let largestQueue = 0;
  let answered = 2;
  while (parts.reduce((sum, { length }) => sum + length, 0) < file.length) {
    for (; !socket.isPaused && at < file.length; at += 64 * KIB)
      socket.emit('message', file.subarray(at, at + 64 * KIB), true);
    const packets = adb.received.slice(answered);
    expect(packets.map(({ command }) => command)).toEqual(['WRTE']);
    answered += 1;
    parts.push(...(packets[0]?.payload ?? []));
    largestQueue = Math.max(largestQueue, at - parts.reduce((sum, { length }) => sum + length, 0));
    adb.send('OKAY', 7, id);
  }
  expect(Buffer.concat(parts).equals(file)).toBe(true);
  expect(Math.max(...adb.received.map(({ payload }) => Buffer.concat(payload).length))).toBe(LARGEST);
  expect(largestQueue).toBeGreaterThan(512 * KIB);
  expect(largestQueue).toBeLessThanOrEqual(MIB + 64 * KIB);
  socket.emit('close');
  expect(adb.received.at(-1)).toMatchObject({ command: 'CLSE', first: id, second: 7 });
});

it('bytes for the phone are acknowledged when the lab takes them, not before (contract 16.2)', async () => {
  const { adb, socket, id } = await opened();
  adb.send('WRTE', 7, id, 'first');
  expect(adb.received.slice(2).map(({ command }) => command)).toEqual(['OKAY']);
  socket.bufferedAmount = 2 * MIB;
  adb.send('WRTE', 7, id, 'second');
  expect(adb.received.slice(3)).toEqual([]);
  socket.sent.at(-1)?.done();
  expect(adb.received.slice(3).map(({ command }) => command)).toEqual(['OKAY']);
  adb.send('WRTE', 7, id);
  expect(Buffer.concat(socket.sent.map(({ bytes }) => bytes)).toString()).toBe('firstsecond');
  expect(adb.received.at(-1)?.command).toBe('OKAY');
});

it('a stream that the adb server has closed takes no more bytes and lets its socket end (contract 16.2)', async () => {
  const { adb, socket, id } = await opened();
  for (let count = 0; count < 20; count += 1) socket.emit('message', Buffer.alloc(64 * KIB), true);
  expect(socket.isPaused).toBe(true);
  adb.send('CLSE', 7, id);
  expect([socket.isPaused, socket.isClosed]).toEqual([false, true]);
  const before = adb.received.length;
  for (let count = 0; count < 40; count += 1) socket.emit('message', Buffer.alloc(64 * KIB), true);
  expect([socket.isPaused, adb.received.length]).toEqual([false, before]);
});
