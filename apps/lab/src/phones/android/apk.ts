import { inflateRawSync } from 'node:zlib';

/** What a phone stores about an installed app. */
export interface InstalledPackage {
  readonly name: string;
  readonly versionCode: number;
  readonly versionName: string;
  /** Whether the package is part of Android, so that it cannot be removed. */
  readonly isSystem: boolean;
}

const MANIFEST = 'AndroidManifest.xml';
const LOCAL_FILE = 0x04034b50;
const CENTRAL_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const STORED = 0;

const STRING_POOL = 0x0001;
const START_ELEMENT = 0x0102;
const UTF8_FLAG = 1 << 8;
const STRING_VALUE = 3;
const NO_STRING = 0xffffffff;

/** @returns what the manifest of an app says, or undefined if the bytes are not an APK */
export function readApk(apk: Buffer): InstalledPackage | undefined {
  try {
    const manifest = rootAttributes(zipEntry(apk, MANIFEST));
    const name = manifest.get('package');
    if (name === undefined) return undefined;
    return {
      name,
      versionCode: Number(manifest.get('versionCode') ?? 1),
      versionName: manifest.get('versionName') ?? '1.0',
      isSystem: false,
    };
  } catch {
    return undefined;
  }
}

function zipEntry(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(littleEndian(END_OF_DIRECTORY));
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === CENTRAL_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      zip.readUInt16LE(at + field),
    );
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    if (name === wanted) return contentOf(zip, at);
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  throw new Error(`the archive has no ${wanted}`);
}

function contentOf(zip: Buffer, centralEntry: number): Buffer {
  const method = zip.readUInt16LE(centralEntry + 10);
  const size = zip.readUInt32LE(centralEntry + 20);
  const local = zip.readUInt32LE(centralEntry + 42);
  if (zip.readUInt32LE(local) !== LOCAL_FILE) throw new Error('the archive is damaged');
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = zip.subarray(start, start + size);
  return method === STORED ? bytes : inflateRawSync(bytes);
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Reads the attributes of the first element of Android's binary XML. */
function rootAttributes(xml: Buffer): Map<string, string> {
  let strings: readonly string[] = [];
  for (let at = xml.readUInt16LE(2); at < xml.length; at += xml.readUInt32LE(at + 4)) {
    const type = xml.readUInt16LE(at);
    if (type === STRING_POOL) strings = stringPool(xml, at);
    if (type === START_ELEMENT) return attributesAt(xml, at, strings);
  }
  throw new Error('the manifest has no element');
}

function attributesAt(xml: Buffer, element: number, strings: readonly string[]): Map<string, string> {
  const first = element + 16 + xml.readUInt16LE(element + 24);
  const size = xml.readUInt16LE(element + 26);
  const count = xml.readUInt16LE(element + 28);
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = first + index * size;
      const text = xml.readUInt32LE(at + 8);
      const isText = text !== NO_STRING || xml[at + 15] === STRING_VALUE;
      const value = isText ? strings[text] : String(xml.readUInt32LE(at + 16));
      return [strings[xml.readUInt32LE(at + 4)] ?? '', value ?? ''] as const;
    }),
  );
}

function stringPool(xml: Buffer, pool: number): string[] {
  const count = xml.readUInt32LE(pool + 8);
  const isUtf8 = (xml.readUInt32LE(pool + 16) & UTF8_FLAG) !== 0;
  const texts = pool + xml.readUInt32LE(pool + 20);
  const offsets = pool + xml.readUInt16LE(pool + 2);
  return Array.from({ length: count }, (_, index) => {
    const at = texts + xml.readUInt32LE(offsets + index * 4);
    return isUtf8 ? utf8At(xml, at) : utf16At(xml, at);
  });
}

/** A length of more than 127 has two bytes. The length in characters precedes the length in bytes. */
function utf8At(xml: Buffer, at: number): string {
  const characters = (xml[at] ?? 0) & 0x80 ? 2 : 1;
  const isLong = ((xml[at + characters] ?? 0) & 0x80) !== 0;
  const length = isLong
    ? (((xml[at + characters] ?? 0) & 0x7f) << 8) | (xml[at + characters + 1] ?? 0)
    : (xml[at + characters] ?? 0);
  const start = at + characters + (isLong ? 2 : 1);
  return xml.toString('utf8', start, start + length);
}

function utf16At(xml: Buffer, at: number): string {
  return xml.toString('utf16le', at + 2, at + 2 + 2 * xml.readUInt16LE(at));
}
