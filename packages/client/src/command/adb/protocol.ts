/** Names of the messages of adbd's protocol, as the four bytes that begin a message. */
export type AdbCommand = 'CNXN' | 'OPEN' | 'OKAY' | 'CLSE' | 'WRTE' | 'AUTH' | 'STLS' | 'SYNC';

export interface AdbPacket {
  readonly command: string;
  /** For a stream, the sender's id of it; the version for `CNXN`. */
  readonly first: number;
  /** For a stream, the receiver's id of it; the largest payload for `CNXN`. */
  readonly second: number;
  /**
   * Payload in the pieces in which it arrived, because joining them would cost a file transfer a copy of every byte.
   */
  readonly payload: readonly Buffer[];
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
  readonly #chunks: Buffer[] = [];
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
    const header = this.#header();
    const length = header.readUInt32LE(12);
    if (header.readUInt32LE(20) !== (header.readUInt32LE(0) ^ 0xffffffff) >>> 0 || length > LARGEST_PAYLOAD)
      throw new Error('the program on the local port does not speak the protocol of adb');
    if (this.#size < HEADER + length) return undefined;
    this.#take(HEADER);
    return {
      command: header.toString('latin1', 0, 4),
      first: header.readUInt32LE(4),
      second: header.readUInt32LE(8),
      payload: this.#take(length),
    };
  }

  /** @returns a buffer that begins with the next header, whose bytes must have arrived */
  #header(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= HEADER) return first;
    let count = 0;
    for (let size = 0; size < HEADER; count += 1) size += this.#chunks[count]?.length ?? HEADER;
    const joined = Buffer.concat(this.#chunks.slice(0, count));
    this.#chunks.splice(0, count, joined);
    return joined;
  }

  /** Removes the next `length` bytes, which must have arrived. */
  #take(length: number): Buffer[] {
    const { taken, left } = splitAfter(this.#chunks.splice(0), length);
    this.#chunks.push(...left);
    this.#size -= length;
    return taken;
  }
}

/** @returns the first `length` bytes of the chunks, or all if there are fewer, and the others, without a copy */
export function splitAfter(chunks: readonly Buffer[], length: number): { taken: Buffer[]; left: Buffer[] } {
  const taken: Buffer[] = [];
  let wanted = length;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.length > wanted) {
      if (wanted > 0) taken.push(chunk.subarray(0, wanted));
      return { taken, left: [chunk.subarray(wanted), ...chunks.slice(index + 1)] };
    }
    if (chunk.length > 0) taken.push(chunk);
    wanted -= chunk.length;
  }
  return { taken, left: [] };
}
