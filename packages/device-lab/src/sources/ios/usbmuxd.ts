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
/** Maximum size of a message in bytes. A list of 200 phones has about 200 kB. */
const LARGEST_MESSAGE = 1024 * 1024;

interface Connection {
  close(): void;
}

interface Handlers {
  readonly message: (message: Message) => void;
  /** Called once when the connection has failed or ended, but not after `close`. */
  readonly ended: (cause: Error) => void;
}

/**
 * Sends one request to usbmuxd, and calls `message` for every message that usbmuxd sends.
 * @param type `ListDevices`, to which usbmuxd responds once, or `Listen`, after which it also reports every change
 */
export function requestUsbmuxd(
  address: UsbmuxdAddress,
  type: 'ListDevices' | 'Listen',
  { message, ended }: Handlers,
): Connection {
  const socket: Socket = connect({ ...address });
  let buffered = Buffer.alloc(0);
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
      buffered = Buffer.concat([buffered, bytes]);
      while (!isOver && buffered.length >= HEADER_BYTES) {
        const length = buffered.readUInt32LE(0);
        const isPlist = buffered.readUInt32LE(4) === PLIST_VERSION && buffered.readUInt32LE(8) === PLIST_TYPE;
        if (!isPlist || length < HEADER_BYTES || length > LARGEST_MESSAGE)
          return end(new Error('the server at this address does not use the protocol of usbmuxd'));
        if (buffered.length < length) return;
        const value = readPlist(buffered.subarray(HEADER_BYTES, length).toString('utf8'));
        buffered = buffered.subarray(length);
        if (!isMessage(value))
          return end(new Error('the server at this address does not use the protocol of usbmuxd'));
        message(value);
      }
    });
  return {
    close: () => {
      isOver = true;
      socket.destroy();
    },
  };
}

export function isMessage(value: PlistValue | undefined): value is Message {
  return typeof value === 'object' && !Array.isArray(value);
}

function requestOf(type: string): Buffer {
  const members = { MessageType: type, ProgName: 'svc', ClientVersionString: 'svc' };
  const xml = Object.entries(members).map(([key, text]) => `<key>${key}</key><string>${text}</string>`);
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>${xml.join('')}</dict></plist>`,
  );
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, field] of [HEADER_BYTES + payload.length, PLIST_VERSION, PLIST_TYPE, 1].entries())
    header.writeUInt32LE(field, index * 4);
  return Buffer.concat([header, payload]);
}
