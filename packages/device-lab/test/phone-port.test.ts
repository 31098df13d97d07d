import { syncBuiltinESMExports } from 'node:module';
import net, { type Server } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockPhone } from '../src/decided/phone-lock.ts';
import { forwardToPhone } from '../src/sources/ios/phone-port.ts';

const ADB = { host: '127.0.0.1', port: 5037 };
let listeners: Server[];

beforeEach(() => {
  listeners = [];
  const { createServer } = net;
  vi.spyOn(net, 'createServer').mockImplementation(((...args: Parameters<typeof createServer>) => {
    const server = createServer(...args);
    listeners.push(server);
    return server;
  }) as typeof createServer);
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Lets the listener fail to accept two connections, as it does while the host has no memory for them. */
function failTwice(): void {
  expect(listeners.length).toBe(1);
  for (const server of listeners)
    for (let turn = 0; turn < 2; turn += 1) server.emit('error', new Error('accept ENOBUFS'));
}

it('a connection to the forwarded port of a phone that cannot be accepted does not end the server (contract 7)', async () => {
  const forward = await forwardToPhone({ path: '/no-usbmuxd' }, 1, 8100);
  failTwice();
  forward.close();
});

it.runIf(process.platform === 'linux')(
  'a connection to the lock of a phone that cannot be accepted does not end the server (contract 7)',
  async () => {
    const unlock = await lockPhone(`phone-port-test-${process.pid}`, ADB);
    failTwice();
    unlock();
  },
);
