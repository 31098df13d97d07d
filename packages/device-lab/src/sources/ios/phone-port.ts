import { connect, createServer, type Server, type Socket } from 'node:net';
import { connectThroughUsbmuxd, type UsbmuxdAddress } from './usbmuxd.ts';

export interface PhonePort {
  /** Port of this host, on the loopback address. */
  readonly port: number;
  close(): void;
}

const MOST_CONNECTIONS = 64;

/**
 * Forwards a free port of this host's loopback address to a port of a phone, through usbmuxd. `ios forward` of go-ios is
 * not used, because it listens on every address of the host, where anyone on the network could drive the phone.
 */
export async function forwardToPhone(
  address: UsbmuxdAddress,
  deviceId: number,
  phonePort: number,
): Promise<PhonePort> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    if (open.size >= MOST_CONNECTIONS) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket)).on('error', () => undefined);
    const phone = connect({ ...address });
    const end = () => {
      socket.destroy();
      phone.destroy();
    };
    phone.once('close', end).on('error', () => undefined);
    socket.once('close', end);
    connectThroughUsbmuxd(phone, deviceId, phonePort, (rest) => {
      if (rest === null) return end();
      if (rest.length > 0) socket.write(rest);
      phone.pipe(socket);
      socket.pipe(phone);
    });
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', done);
  });
  server.unref();
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
