import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { LabSockets } from '../phone/lab-sockets.ts';
import { encodeAnswer, takeRequest, type UsbmuxdRequest } from './protocol.ts';
import { joinSocket } from './tunnel.ts';

/** Numbers of results that usbmuxd sends. */
const RESULTS = { done: 0, badCommand: 1, badDevice: 2, refused: 3 } as const;
const DEVICE_ID = 1;
const USB_SPEED = 480_000_000;
/** Product of every iPhone since the iPhone 5. */
const PRODUCT_ID = 0x12a8;

/**
 * A usbmuxd with one phone. Connections to the phone's ports lead to the lab. Everything else is answered here: the
 * pairings are those of this command, because the lab's own would open the phone beyond the lease (contract 16.4).
 */
export class LocalUsbmuxd {
  readonly #lab: LabSockets;
  readonly #udid: string;
  readonly #warn: (text: string) => void;
  readonly #sockets = new Set<Socket>();
  readonly #systemId = randomUUID().toUpperCase();
  /** Pairing of this machine with the phone, in base64. */
  #pairRecord: string | undefined;

  constructor(lab: LabSockets, udid: string, warn: (text: string) => void) {
    this.#lab = lab;
    this.#udid = udid;
    this.#warn = warn;
  }

  /** Serves one connection of a program of this machine. */
  serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    let pending: Buffer = Buffer.alloc(0);
    const received = (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      try {
        for (let next = takeRequest(pending); next !== undefined; next = takeRequest(pending)) {
          pending = next.rest;
          if (next.request.field('MessageType') !== 'Connect') {
            socket.write(this.#answerTo(next.request));
            continue;
          }
          socket.off('data', received).pause();
          if (pending.length > 0) socket.unshift(pending);
          void this.#connect(socket, next.request);
          return;
        }
      } catch (error) {
        this.#warn(String(error));
        socket.destroy();
      }
    };
    socket.on('data', received);
  }

  /** Ends all connections, so that programs notice that the phone is gone. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #answerTo(request: UsbmuxdRequest): Buffer {
    const { tag } = request;
    const done = result(tag, 'done');
    switch (request.field('MessageType')) {
      case 'ListDevices':
        return encodeAnswer(tag, dict([['DeviceList', `<array>${this.#attached()}</array>`]]));
      case 'Listen':
        return Buffer.concat([done, encodeAnswer(0, this.#attached())]);
      case 'ListListeners':
        return encodeAnswer(tag, dict([['ListenerList', '<array/>']]));
      case 'ReadBUID':
        return encodeAnswer(tag, dict([['BUID', string(this.#systemId)]]));
      case 'ReadPairRecord':
        return this.#isOwn(request) && this.#pairRecord !== undefined
          ? encodeAnswer(tag, dict([['PairRecordData', `<data>${this.#pairRecord}</data>`]]))
          : result(tag, 'badDevice');
      case 'SavePairRecord':
        if (!this.#isOwn(request)) return result(tag, 'badDevice');
        this.#pairRecord = request.field('PairRecordData');
        return done;
      case 'DeletePairRecord':
        if (this.#isOwn(request)) this.#pairRecord = undefined;
        return done;
      default:
        return result(tag, 'badCommand');
    }
  }

  #isOwn(request: UsbmuxdRequest): boolean {
    return request.field('PairRecordID') === this.#udid;
  }

  /** Connects a program with a port of the phone. After the result, the connection leads there. */
  async #connect(socket: Socket, request: UsbmuxdRequest): Promise<void> {
    const { tag } = request;
    if (Number(request.field('DeviceID')) !== DEVICE_ID) {
      socket.end(result(tag, 'badDevice'));
      return;
    }
    // The port has network byte order.
    const swapped = Number(request.field('PortNumber')) & 0xffff;
    const port = ((swapped & 0xff) << 8) | (swapped >> 8);
    try {
      // Bytes of the phone may arrive together with the lab's answer, but the program expects the result first.
      await this.#lab.open({ service: `tcp:${port}` }, (phone) =>
        joinSocket(socket, phone, () => socket.write(result(tag, 'done'))),
      );
    } catch (error) {
      this.#warn(error instanceof Error ? error.message : String(error));
      if (!socket.destroyed) socket.end(result(tag, 'refused'));
    }
  }

  #attached(): string {
    return dict([
      ['DeviceID', integer(DEVICE_ID)],
      ['MessageType', string('Attached')],
      [
        'Properties',
        dict([
          ['ConnectionSpeed', integer(USB_SPEED)],
          ['ConnectionType', string('USB')],
          ['DeviceID', integer(DEVICE_ID)],
          ['LocationID', integer(DEVICE_ID)],
          ['ProductID', integer(PRODUCT_ID)],
          ['SerialNumber', string(this.#udid)],
        ]),
      ],
    ]);
  }
}

function result(tag: number, name: keyof typeof RESULTS): Buffer {
  return encodeAnswer(
    tag,
    dict([
      ['MessageType', string('Result')],
      ['Number', integer(RESULTS[name])],
    ]),
  );
}

function dict(members: readonly (readonly [key: string, xml: string])[]): string {
  return `<dict>${members.map(([key, xml]) => `<key>${key}</key>${xml}`).join('')}</dict>`;
}

function integer(value: number): string {
  return `<integer>${value}</integer>`;
}

function string(text: string): string {
  return `<string>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</string>`;
}
