import { connect, type Socket } from 'node:net';

export interface AdbAddress {
  readonly host: string;
  readonly port: number;
}

/** The adb server refused a request, was not there, or does not speak its protocol. */
class AdbFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdbFailure';
  }
}

/** Longest text of a refusal that is read; the server's own are short. */
const LONGEST_REASON = 1_024;

const CLOSED = 'the adb server closed the connection';

/**
 * One connection to an adb server, in its smart-socket protocol: a request is four hex digits of length and a text, its
 * response `OKAY` or `FAIL`. Never starts a server. Reads only what it is asked for, so that a peer that sends without
 * end fills no memory. Waits are in ms.
 */
export class AdbConnection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open({ host, port }: AdbAddress, patience: number): Promise<AdbConnection> {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    // Errors reach whoever waits; one that nobody waits for ends with `close`.
    socket.on('error', () => undefined);
    const connection = new AdbConnection(socket);
    try {
      await connection.#within(patience, () => connection.#event('connect'));
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return connection;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Rejects unless the server answers `OKAY`. */
  async request(service: string, patience: number): Promise<void> {
    const bytes = Buffer.from(service);
    this.#socket.write(Buffer.concat([Buffer.from(hex4(bytes.length)), bytes]));
    const status = (await this.#exactly(4, patience)).toString('latin1');
    if (status === 'OKAY') return;
    if (status !== 'FAIL') throw new AdbFailure('the adb server does not speak its protocol');
    const reason = (await this.frame(patience, patience)).subarray(0, LONGEST_REASON).toString('utf8');
    throw new AdbFailure(`the adb server refused: ${reason}`);
  }

  /** A text with its length before it, at most 65,535 bytes. `idle`: how long it may take to begin; null: any time. */
  async frame(patience: number, idle: number | null): Promise<Buffer> {
    const first = await this.#exactly(1, idle);
    const length = `${first}${await this.#exactly(3, patience)}`;
    if (!/^[0-9a-fA-F]{4}$/.test(length)) throw new AdbFailure('the adb server does not speak its protocol');
    return await this.#exactly(Number.parseInt(length, 16), patience);
  }

  /** Everything up to the end, cut after `most` bytes. */
  async rest(most: number, patience: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    await this.#within(patience, async () => {
      while (size < most) {
        const chunk = this.#socket.read() as Buffer | null;
        if (chunk === null && this.#socket.readableEnded) return;
        if (chunk === null) await this.#event('readable');
        else {
          chunks.push(chunk);
          size += chunk.length;
        }
      }
    });
    return Buffer.concat(chunks).subarray(0, most);
  }

  async #exactly(length: number, patience: number | null): Promise<Buffer> {
    const read = async (): Promise<Buffer> => {
      for (;;) {
        const chunk = this.#socket.read(length) as Buffer | null;
        if (chunk !== null && chunk.length === length) return chunk;
        if (chunk !== null || this.#socket.readableEnded || this.#socket.destroyed)
          throw new AdbFailure(CLOSED);
        await this.#event('readable');
      }
    };
    if (length === 0) return Buffer.alloc(0);
    return patience === null ? await read() : await this.#within(patience, read);
  }

  /** One limit for the whole of `work`, so that a peer that sends byte by byte gains no time. */
  async #within<T>(patience: number, work: () => Promise<T>): Promise<T> {
    const late = () => this.#socket.destroy(new AdbFailure('the adb server does not answer'));
    const timer = setTimeout(late, patience).unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  /** The end of the stream counts as `readable`, too. */
  #event(name: 'connect' | 'readable'): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        socket.off(name, arrived).off('end', arrived).off('error', settle).off('close', closed);
        if (error === undefined) resolve();
        else reject(error);
      };
      const arrived = () => settle();
      const closed = () => settle(new AdbFailure(CLOSED));
      socket.once(name, arrived).once('end', arrived).once('error', settle).once('close', closed);
    });
  }
}

function hex4(length: number): string {
  return length.toString(16).padStart(4, '0');
}
