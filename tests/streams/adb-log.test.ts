import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { adbLines } from '@svc/previews';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/records.ts';

/** An adb server that responds like the real one, with a log of one line per chunk. */
const asked: string[] = [];
const open = new Set<Socket>();
const server = createServer((socket) => {
  open.add(socket);
  socket.once('close', () => open.delete(socket));
  socket.on('error', () => undefined);
  let pending = '';
  socket.on('data', (chunk) => {
    pending += chunk.toString();
    for (let size = Number.parseInt(pending.slice(0, 4), 16); pending.length >= 4 + size; ) {
      const service = pending.slice(4, 4 + size);
      pending = pending.slice(4 + size);
      size = Number.parseInt(pending.slice(0, 4), 16);
      asked.push(service);
      if (service.endsWith('gone')) return void socket.end('FAIL0010device not found');
      socket.write('OKAY');
      if (service.startsWith('shell:')) socket.write('one\r\ntw');
      if (Number.isNaN(size)) break;
    }
  });
});

describe('logcat of a phone', () => {
  let address: { host: string; port: number };
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  });
  afterAll(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });

  const read = (serial: string) => {
    const seen: string[] = [];
    const sink = {
      line: (text: string) => void seen.push(text),
      ended: () => void seen.push('ended'),
    };
    const close = adbLines(address, serial).open(sink, true);
    return { seen, close };
  };

  it('logcat of a phone is read over the protocol of adb, line by line, and no longer than somebody reads (contract 2 /control)', async () => {
    const { seen, close } = read('emulator-5554');
    await until(
      async () => seen,
      (lines) => lines.length === 1,
    );
    for (const socket of open) socket.write('o\nthree');
    await until(
      async () => seen,
      (lines) => lines.length === 2,
    );
    expect(seen).toEqual(['one', 'two']);
    expect(asked).toEqual(['host:transport:emulator-5554', 'shell:logcat -v threadtime -T 500']);
    close();
    await until(
      async () => open.size,
      (size) => size === 0,
    );
    expect(seen).toEqual(['one', 'two']);
  });

  it('logcat of a phone ends when the phone is gone, or the server', async () => {
    const gone = read('gone');
    await until(
      async () => gone.seen,
      (lines) => lines.includes('ended'),
    );
    const { seen } = read('emulator-5554');
    await until(
      async () => seen,
      (lines) => lines.length === 1,
    );
    for (const socket of open) socket.destroy();
    await until(
      async () => seen,
      (lines) => lines.includes('ended'),
    );
  });
});
