import { createServer, type Server, type Socket } from 'node:net';
import type { IPhone } from './iphone.ts';
import { dict, textOf } from './plist.ts';

const HEADER_BYTES = 16;
const PLIST_VERSION = 1;
const PLIST_TYPE = 8;

/** Numbers of a result. */
const DONE = 0;
const BAD_DEVICE = 2;
const REFUSED = 3;

interface Plugged {
  readonly id: number;
  readonly phone: IPhone;
}

/** A scripted usbmuxd: it lists phones, reports when they are plugged in, and connects to ports of phones. */
export class Usbmuxd {
  readonly #plugged = new Map<string, Plugged>();
  readonly #listeners = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  #lastId = 0;

  async start(path: string): Promise<void> {
    await new Promise<void>((listens, failed) => this.#server.once('error', failed).listen(path, listens));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** Plugs a phone in, with a new id. */
  plug(phone: IPhone): void {
    this.unplug(phone.udid);
    this.#lastId += 1;
    const plugged = { id: this.#lastId, phone };
    this.#plugged.set(phone.udid, plugged);
    for (const socket of this.#listeners) socket.write(message(attached(plugged)));
  }

  unplug(udid: string): void {
    const plugged = this.#plugged.get(udid);
    if (plugged === undefined) return;
    this.#plugged.delete(udid);
    plugged.phone.agent.stop();
    const text = dict({ MessageType: 'Detached', DeviceID: plugged.id });
    for (const socket of this.#listeners) socket.write(message(text));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => {
        this.#sockets.delete(socket);
        this.#listeners.delete(socket);
      });
    let pending = Buffer.alloc(0);
    const onData = (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= HEADER_BYTES && pending.length >= pending.readUInt32LE(0)) {
        const length = pending.readUInt32LE(0);
        const tag = pending.readUInt32LE(12);
        const request = pending.toString('utf8', HEADER_BYTES, length);
        pending = pending.subarray(length);
        if (textOf(request, 'MessageType') !== 'Connect') this.#answer(request, tag, socket);
        else return void this.#connect(request, tag, socket.off('data', onData));
      }
    };
    socket.on('data', onData);
  }

  #answer(request: string, tag: number, socket: Socket): void {
    const type = textOf(request, 'MessageType');
    const plugged = [...this.#plugged.values()];
    if (type === 'ListDevices') {
      const list = `<dict><key>DeviceList</key><array>${plugged.map(attached).join('')}</array></dict>`;
      socket.write(message(list, tag));
    } else if (type === 'Listen') {
      this.#listeners.add(socket);
      socket.write(message(result(DONE), tag));
      for (const each of plugged) socket.write(message(attached(each)));
    } else socket.write(message(result(BAD_DEVICE), tag));
  }

  /** Connects to a port of a phone. After the result, the connection leads there. */
  #connect(request: string, tag: number, socket: Socket): void {
    const id = Number(textOf(request, 'DeviceID'));
    // The port has network byte order.
    const swapped = Number(textOf(request, 'PortNumber'));
    const port = ((swapped & 0xff) << 8) | (swapped >> 8);
    const phone = [...this.#plugged.values()].find((each) => each.id === id)?.phone;
    const service = [phone?.agent, phone?.lockdown].find((each) => each?.isListening(port));
    if (service === undefined) {
      socket.end(message(result(REFUSED), tag));
      return;
    }
    socket.write(message(result(DONE), tag));
    service.accept(port, socket);
  }
}

function attached({ id, phone }: Plugged): string {
  const properties = dict({
    ConnectionSpeed: 480_000_000,
    ConnectionType: 'USB',
    DeviceID: id,
    LocationID: id,
    ProductID: 4776,
    SerialNumber: phone.udid,
  });
  return `<dict><key>DeviceID</key><integer>${id}</integer><key>MessageType</key><string>Attached</string><key>Properties</key>${properties}</dict>`;
}

function result(number: number): string {
  return dict({ MessageType: 'Result', Number: number });
}

function message(value: string, tag = 0): Buffer {
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n${value}\n</plist>\n`,
  );
  const head = Buffer.alloc(HEADER_BYTES);
  for (const [index, field] of [HEADER_BYTES + payload.length, PLIST_VERSION, PLIST_TYPE, tag].entries())
    head.writeUInt32LE(field, index * 4);
  return Buffer.concat([head, payload]);
}
