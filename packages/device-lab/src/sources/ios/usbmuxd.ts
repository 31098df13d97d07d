import { connect, type Socket } from 'node:net';
import { type PlistValue, readPlist } from './plist.ts';

/** Address of usbmuxd: a socket in the file system, or on Windows a port. */
export type UsbmuxdAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export type Message = { readonly [key: string]: PlistValue };

/**
 * Size of the header of a usbmuxd message. It has four little-endian numbers of 4 bytes: the length of the message
 * including the header, the version, the type and a tag.
 */
const HEADER_BYTES = 16;
const PLIST_VERSION = 1;
const PLIST_TYPE = 8;
/** Maximum size of a message (bytes) while the phones of this host are used. A list of 200 phones has about 200 kB. */
const LARGEST_MESSAGE = 1024 * 1024;
/**
 * Maximum size of a message (bytes) while they are not used. The server then only counts the phones, and any process of
 * this host may listen at the address of usbmuxd.
 */
export const LARGEST_MESSAGE_WHILE_OFF = 64 * 1024;

interface Connection {
  close(): void;
}

interface Handlers {
  readonly message: (message: Message) => void;
  /** Called once when the connection has failed or ended, but not after `close`. */
  readonly ended: (cause: Error) => void;
}

class NotUsbmuxd extends Error {
  constructor() {
    super('the server at this address does not use the protocol of usbmuxd');
  }
}

/**
 * Sends one request to usbmuxd, and calls `message` for every message that usbmuxd sends.
 * @param type `ListDevices`, to which usbmuxd responds once, or `Listen`, after which it also reports every change
 * @param largest maximum size of a message in bytes
 */
export function requestUsbmuxd(
  address: UsbmuxdAddress,
  type: 'ListDevices' | 'Listen',
  { message, ended }: Handlers,
  largest: number = LARGEST_MESSAGE,
): Connection {
  const socket: Socket = connect({ ...address });
  const messages = new Messages(largest);
  let isOver = false;
  const end = (cause: Error) => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    ended(cause);
  };
  socket
    .once('connect', () => socket.write(requestOf(type)))
    .on('error', end)
    .on('close', () => end(new Error('usbmuxd closed the connection')))
    .on('data', (bytes) => {
      messages.add(bytes);
      try {
        for (let next = messages.next(); !isOver && next !== undefined; next = messages.next()) message(next);
      } catch (error) {
        if (!(error instanceof NotUsbmuxd)) throw error;
        end(error);
      }
    });
  return {
    close: () => {
      isOver = true;
      socket.destroy();
    },
  };
}

/** Splits the bytes of usbmuxd into messages. Copies the bytes once per message, and not once per packet. */
class Messages {
  readonly #largest: number;
  #packets: Buffer[] = [];
  #size = 0;
  /** Number of bytes without which there is no next message: those of a header, or of the whole message. */
  #needed = HEADER_BYTES;

  constructor(largest: number) {
    this.#largest = largest;
  }

  add(bytes: Buffer): void {
    this.#packets.push(bytes);
    this.#size += bytes.length;
  }

  /**
   * Returns the next message, or undefined until it has arrived completely. Throws `NotUsbmuxd` if the bytes are no
   * message of usbmuxd.
   */
  next(): Message | undefined {
    if (this.#size < this.#needed) return undefined;
    const bytes = Buffer.concat(this.#packets, this.#size);
    this.#packets = [bytes];
    const length = bytes.readUInt32LE(0);
    const isPlist = bytes.readUInt32LE(4) === PLIST_VERSION && bytes.readUInt32LE(8) === PLIST_TYPE;
    if (!isPlist || length < HEADER_BYTES || length > this.#largest) throw new NotUsbmuxd();
    this.#needed = length;
    if (this.#size < length) return undefined;
    this.#packets = [bytes.subarray(length)];
    this.#size -= length;
    this.#needed = HEADER_BYTES;
    const value = readPlist(bytes.subarray(HEADER_BYTES, length).toString('utf8'));
    if (!isMessage(value)) throw new NotUsbmuxd();
    return value;
  }
}

const CONNECT_MS = 10_000;

/**
 * Asks usbmuxd, over the new connection `socket`, to connect it to a port of a phone.
 * @param done called once, with the bytes of the phone that have already arrived, or with null if usbmuxd refuses
 */
export function connectThroughUsbmuxd(
  socket: Socket,
  deviceId: number,
  port: number,
  done: (rest: Buffer | null) => void,
): void {
  let buffered = Buffer.alloc(0);
  const finish = (rest: Buffer | null) => {
    clearTimeout(timer);
    socket.off('data', take).off('close', fail);
    done(rest);
  };
  const fail = () => finish(null);
  const timer = setTimeout(fail, CONNECT_MS).unref();
  const take = (bytes: Buffer) => {
    buffered = Buffer.concat([buffered, bytes]);
    if (buffered.length < HEADER_BYTES) return;
    const length = buffered.readUInt32LE(0);
    if (length < HEADER_BYTES || length > LARGEST_MESSAGE) return fail();
    if (buffered.length < length) return;
    const value = readPlist(buffered.subarray(HEADER_BYTES, length).toString('utf8'));
    finish(isMessage(value) && value.Number === 0 ? buffered.subarray(length) : null);
  };
  socket.on('data', take).once('close', fail);
  // usbmuxd expects the port in network byte order.
  const swapped = ((port & 0xff) << 8) | (port >> 8);
  socket.write(requestOf('Connect', { DeviceID: deviceId, PortNumber: swapped }));
}

export function isMessage(value: PlistValue | undefined): value is Message {
  return typeof value === 'object' && !Array.isArray(value);
}

function requestOf(type: string, numbers: Readonly<Record<string, number>> = {}): Buffer {
  const members = { MessageType: type, ProgName: 'svc', ClientVersionString: 'svc' };
  const xml = [
    ...Object.entries(members).map(([key, text]) => `<key>${key}</key><string>${text}</string>`),
    ...Object.entries(numbers).map(([key, number]) => `<key>${key}</key><integer>${number}</integer>`),
  ];
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>${xml.join('')}</dict></plist>`,
  );
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, field] of [HEADER_BYTES + payload.length, PLIST_VERSION, PLIST_TYPE, 1].entries())
    header.writeUInt32LE(field, index * 4);
  return Buffer.concat([header, payload]);
}
