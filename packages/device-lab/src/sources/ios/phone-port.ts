import { connect, createServer, type Server, type Socket } from 'node:net';
import { listAttached } from './attached.ts';
import { connectThroughUsbmuxd, type UsbmuxdAddress } from './usbmuxd.ts';

export interface PhonePort {
  /** Port of this host, on the loopback address. */
  readonly port: number;
  close(): void;
}

const MOST_CONNECTIONS = 64;
const LIST_MS = 5_000;

/**
 * Connects to a port of a phone. Requests the phone's device id from usbmuxd each time, because the id changes whenever
 * the phone is plugged in.
 * @returns the connection, paused. Rejects if the phone is not attached or refuses the port.
 */
export async function connectToPhone(address: UsbmuxdAddress, udid: string, port: number): Promise<Socket> {
  const attached = (await listAttached(address, LIST_MS)).find((each) => each.udid === udid);
  if (attached === undefined) throw new Error('usbmuxd does not list the phone');
  const socket = connect({ ...address }).on('error', () => undefined);
  return await new Promise((done, failed) => {
    connectThroughUsbmuxd(socket, attached.id, port, (rest) => {
      socket.pause();
      if (rest === null) {
        socket.destroy();
        failed(new Error(`the phone does not accept connections at port ${port}`));
        return;
      }
      if (rest.length > 0) socket.unshift(rest);
      done(socket);
    });
  });
}

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
    // Stays after the start, because a server without a listener ends the process if it cannot accept a connection.
    server.on('error', failed);
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
