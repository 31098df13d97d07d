/**
 * Size of the header of a usbmuxd message. It has four little-endian numbers of 4 bytes: the length of the message
 * including the header, the version, the type and a tag.
 */
const HEADER_BYTES = 16;
const PLIST_VERSION = 1;
const PLIST_TYPE = 8;
/** Maximum size of a request (bytes). The largest one contains a pair record of about 12 kB. */
const LARGEST_REQUEST = 256 * 1024;

/** Request of a program of this machine. */
export interface UsbmuxdRequest {
  readonly tag: number;
  /** @returns a text, number or base64 text of the request, or undefined if it has none with this key */
  field(
    key: 'MessageType' | 'DeviceID' | 'PortNumber' | 'PairRecordID' | 'PairRecordData',
  ): string | undefined;
}

/**
 * Takes the first request off the bytes that have arrived. Throws if they are no request of usbmuxd.
 * @returns the request with the bytes after it, or undefined until it has arrived completely
 */
export function takeRequest(bytes: Buffer): { request: UsbmuxdRequest; rest: Buffer } | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readUInt32LE(0);
  const isPlist = bytes.readUInt32LE(4) === PLIST_VERSION && bytes.readUInt32LE(8) === PLIST_TYPE;
  if (!isPlist || length < HEADER_BYTES || length > LARGEST_REQUEST)
    throw new Error('the program on the local socket does not speak the protocol of usbmuxd');
  if (bytes.length < length) return undefined;
  const text = bytes.toString('utf8', HEADER_BYTES, length);
  const field = (key: string) =>
    new RegExp(`<key>${key}</key>\\s*<(?:string|integer|data)>([^<]*)<`).exec(text)?.[1]?.trim();
  return { request: { tag: bytes.readUInt32LE(12), field }, rest: bytes.subarray(length) };
}

export function encodeAnswer(tag: number, xml: string): Buffer {
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n${xml}\n</plist>\n`,
  );
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, field] of [HEADER_BYTES + payload.length, PLIST_VERSION, PLIST_TYPE, tag].entries())
    header.writeUInt32LE(field, index * 4);
  return Buffer.concat([header, payload]);
}
