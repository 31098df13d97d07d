/** Names of the messages of adbd's protocol, as the four bytes that begin a message. */
export type AdbCommand = 'CNXN' | 'OPEN' | 'OKAY' | 'CLSE' | 'WRTE' | 'AUTH' | 'STLS' | 'SYNC';

export interface AdbPacket {
  readonly command: string;
  /** For a stream, the sender's id of it; the version for `CNXN`. */
  readonly first: number;
  /** For a stream, the receiver's id of it; the largest payload for `CNXN`. */
  readonly second: number;
  readonly payload: Buffer;
}

/** Version of the protocol in which both sides skip the checksums of payloads. */
export const PROTOCOL_VERSION = 0x01000001;
export const LARGEST_PAYLOAD = 1024 * 1024;
const HEADER = 24;

/** @param length size of the payload, which follows the header (bytes) */
export function encodeHeader(command: AdbCommand, first: number, second: number, length: number): Buffer {
  const header = Buffer.alloc(HEADER);
  const code = Buffer.from(command, 'latin1').readUInt32LE(0);
  header.writeUInt32LE(code, 0);
  header.writeUInt32LE(first, 4);
  header.writeUInt32LE(second, 8);
  header.writeUInt32LE(length, 12);
  header.writeUInt32LE((code ^ 0xffffffff) >>> 0, 20);
  return header;
}

/** Splits the bytes of an adb server into packets. */
export class PacketReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** Adds bytes. Throws if they are no packets of adb. @returns the packets that are complete now */
  push(chunk: Buffer): AdbPacket[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const packets: AdbPacket[] = [];
    for (let packet = this.#next(); packet !== undefined; packet = this.#next()) packets.push(packet);
    return packets;
  }

  #next(): AdbPacket | undefined {
    if (this.#size < HEADER) return undefined;
    const header = this.#peek(HEADER);
    const command = header.toString('latin1', 0, 4);
    const length = header.readUInt32LE(12);
    if (header.readUInt32LE(20) !== (header.readUInt32LE(0) ^ 0xffffffff) >>> 0 || length > LARGEST_PAYLOAD)
      throw new Error('the program on the local port does not speak the protocol of adb');
    if (this.#size < HEADER + length) return undefined;
    const all = this.#peek(HEADER + length);
    this.#chunks[0] = (this.#chunks[0] as Buffer).subarray(HEADER + length);
    this.#size -= HEADER + length;
    return {
      command,
      first: all.readUInt32LE(4),
      second: all.readUInt32LE(8),
      payload: all.subarray(HEADER, HEADER + length),
    };
  }

  /** @returns at least the first `length` bytes, which must have arrived */
  #peek(length: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= length) return first;
    const all = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [all];
    return all;
  }
}
