import { connect, createServer, type Socket } from 'node:net';
import type { AndroidPhones } from '@svc/lab/phones';

const SIGN_ON = 'CNXN';
const OPEN = 'OPEN';
const READY = 'OKAY';
const CLOSE = 'CLSE';
const WRITE = 'WRTE';
const HEAD = 24;
const VERSION = 0x01000000;
const LARGEST = 4_096;
const NOTHING: Buffer = Buffer.alloc(0);

export interface NetworkPhone {
  /** The serial number under which a real adb server lists the phone after `adb connect <serial>`. */
  readonly serial: string;
  /** Disconnects the phone. */
  unplug(): Promise<void>;
}

/**
 * Offers a scripted phone to real adb servers, at a port of loopback and in the protocol of adbd. Each service is opened
 * on the scripted adb server in which the phone is plugged in.
 */
export async function networkPhone(phones: AndroidPhones, udid: string): Promise<NetworkPhone> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, phones, udid);
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as { port: number };
  return {
    serial: `127.0.0.1:${port}`,
    unplug: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A service of the phone that an adb server has opened. */
interface Stream {
  /** Id of the stream at the adb server. */
  readonly remote: number;
  readonly service: Socket;
}

function serve(socket: Socket, phones: AndroidPhones, udid: string): void {
  const streams = new Map<number, Stream>();
  let lastId = 0;
  const send = (command: string, first: number, second: number, payload: Buffer = NOTHING) => {
    if (!socket.destroyed) socket.write(encode(command, first, second, payload));
  };
  const open = (remote: number, name: string) => {
    lastId += 1;
    const id = lastId;
    const service = connect({ port: phones.adb.port, host: '127.0.0.1', allowHalfOpen: true });
    streams.set(id, { remote, service });
    service.write(framed(`host:transport:${udid}`) + framed(name));
    let pending = NOTHING;
    const isReady = () => pending.toString('latin1', 0, 8) === 'OKAYOKAY';
    let isOpen = false;
    service
      .on('data', (bytes) => {
        if (!isOpen) {
          pending = Buffer.concat([pending, bytes]);
          if (!isReady()) return;
          isOpen = true;
          send(READY, id, remote);
          deliver(pending.subarray(8));
        } else deliver(bytes);
      })
      .on('error', () => undefined)
      .once('end', () => service.end())
      .once('close', () => {
        if (streams.delete(id)) send(CLOSE, isOpen ? id : 0, remote);
      });
    const deliver = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += LARGEST)
        send(WRITE, id, remote, bytes.subarray(at, at + LARGEST));
    };
  };
  const take = (command: string, first: number, second: number, payload: Buffer) => {
    const stream = streams.get(second);
    if (command === SIGN_ON) send(SIGN_ON, VERSION, LARGEST, Buffer.from(banner(phones, udid)));
    else if (command === OPEN) open(first, payload.toString('utf8').replace(/\0+$/, ''));
    else if (command === WRITE && stream !== undefined) {
      stream.service.write(payload);
      send(READY, second, first);
    } else if (command === CLOSE && stream !== undefined) {
      streams.delete(second);
      stream.service.destroy();
      send(CLOSE, second, first);
    }
  };
  let buffered = NOTHING;
  socket
    .on('error', () => undefined)
    .once('close', () => {
      for (const { service } of streams.values()) service.destroy();
    })
    .on('data', (bytes) => {
      buffered = Buffer.concat([buffered, bytes]);
      while (buffered.length >= HEAD && buffered.length >= HEAD + buffered.readUInt32LE(12)) {
        const end = HEAD + buffered.readUInt32LE(12);
        const packet = buffered.subarray(0, end);
        buffered = buffered.subarray(end);
        take(
          packet.toString('latin1', 0, 4),
          packet.readUInt32LE(4),
          packet.readUInt32LE(8),
          packet.subarray(HEAD),
        );
      }
    });
}

function encode(command: string, first: number, second: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write(command, 'latin1');
  const code = head.readUInt32LE(0);
  const sum = payload.reduce((total, byte) => total + byte, 0) >>> 0;
  const fields = [code, first, second, payload.length, sum, (code ^ 0xffffffff) >>> 0];
  for (const [index, field] of fields.entries()) head.writeUInt32LE(field, index * 4);
  return Buffer.concat([head, payload]);
}

function framed(text: string): string {
  return Buffer.byteLength(text).toString(16).padStart(4, '0') + text;
}

function banner(phones: AndroidPhones, udid: string): string {
  const { model } = phones.phone(udid).facts;
  return `device::ro.product.name=scripted;ro.product.model=${model};ro.product.device=scripted;features=cmd,shell_v2`;
}
