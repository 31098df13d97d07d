import { crc32 } from 'node:zlib';
import { LARGEST_PICTURE } from '@svc/contract';

/*
 * Format of the files of a recording (docs/recording-format.md). A file consists of `FILE_HEAD` and records. A record
 * consists of a head of 16 bytes and a payload. The head contains:
 *
 *   offset 0  type, 1 byte
 *   offset 1  reserved, 1 byte, 0
 *   offset 2  time in ms since 1970, 6 bytes, big endian
 *   offset 8  length of the payload, 4 bytes, big endian
 *   offset 12 CRC-32 of the 12 bytes before and the payload, 4 bytes, big endian
 */

const FORMAT_VERSION = 1;
/** First bytes of each file: `svcrec`, the version of the format, and a line feed. */
export const FILE_HEAD = Buffer.from([0x73, 0x76, 0x63, 0x72, 0x65, 0x63, FORMAT_VERSION, 0x0a]);
export const RECORD_HEAD_BYTES = 16;

export const RECORD = { start: 1, jpeg: 2, png: 3, mark: 4, lines: 5 } as const;
export type RecordType = (typeof RECORD)[keyof typeof RECORD];

/** @returns the head of a record, which comes before the payload */
export function encodeHead(type: RecordType, at: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(RECORD_HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUIntBE(at, 2, 6);
  head.writeUInt32BE(payload.length, 8);
  head.writeUInt32BE(checksum(head, payload), 12);
  return head;
}

/** @returns a new buffer that contains the head of a record and a copy of its payload */
export function encodeRecord(type: RecordType, at: number, payload: Uint8Array): Buffer {
  return Buffer.concat([encodeHead(type, at, payload), payload]);
}

export function encodeJson(type: RecordType, at: number, value: object): Buffer {
  return encodeRecord(type, at, Buffer.from(JSON.stringify(value)));
}

export interface FoundRecord {
  readonly type: number;
  readonly at: number;
  /** Offset at which the payload begins in the file. */
  readonly offset: number;
  readonly payload: Buffer;
}

/**
 * Reads the records of a file whose last record may be incomplete, because the process was killed while it wrote.
 * @returns the complete records, and the length of the file up to the end of the last of them; 0 if the file has no
 * valid head
 */
export function recordsIn(file: Buffer): { readonly records: FoundRecord[]; readonly whole: number } {
  if (!file.subarray(0, FILE_HEAD.length).equals(FILE_HEAD)) return { records: [], whole: 0 };
  const records: FoundRecord[] = [];
  let at = FILE_HEAD.length;
  while (at + RECORD_HEAD_BYTES <= file.length) {
    const length = file.readUInt32BE(at + 8);
    const end = at + RECORD_HEAD_BYTES + length;
    if (length > LARGEST_PICTURE || end > file.length) break;
    const offset = at + RECORD_HEAD_BYTES;
    const payload = file.subarray(offset, end);
    if (file.readUInt32BE(at + 12) !== checksum(file.subarray(at, offset), payload)) break;
    records.push({
      type: file.readUInt8(at),
      at: file.readUIntBE(at + 2, 6),
      offset,
      payload,
    });
    at = end;
  }
  return { records, whole: at };
}

/** @returns the checksum of the first 12 bytes of a head and of the payload */
function checksum(head: Buffer, payload: Uint8Array): number {
  return crc32(payload, crc32(head.subarray(0, 12)));
}
