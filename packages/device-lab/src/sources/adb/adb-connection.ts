import { connect, type Socket } from 'node:net';

export interface AdbAddress {
  readonly host: string;
  readonly port: number;
}

/** Thrown if the adb server refuses a request, is not running, or does not speak the adb protocol. */
class AdbFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdbFailure';
  }
}

/** Maximum number of bytes that the error message quotes from a refusal. A real adb server sends shorter texts. */
const LONGEST_REASON = 1_024;

const CLOSED = 'the adb server closed the connection';

/**
 * One connection to an adb server. In adb's smart-socket protocol, a request is a length in four hex digits and a text,
 * and the response begins with `OKAY` or `FAIL`. This class never starts an adb server. It reads no more bytes than the
 * caller requests, so that a server that sends too much cannot fill the memory. Time limits are in ms.
 */
export class AdbConnection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #isOver = false;
  #failure: Error | undefined;
  #look: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  static async open({ host, port }: AdbAddress, timeoutMs: number): Promise<AdbConnection> {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const connection = new AdbConnection(socket);
    await connection.#within(timeoutMs, () => connection.#connected());
    return connection;
  }

  async #connected(): Promise<void> {
    await new Promise<void>((done) => {
      this.#socket.once('connect', done);
      this.#look = done;
    });
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isOver) throw new AdbFailure(CLOSED);
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Hands the socket over to the caller, who is responsible for it from now on. The socket is paused, and yields first
   * the bytes that have already arrived.
   */
  detach(): Socket {
    const socket = this.#socket;
    for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event);
    socket.pause();
    if (this.#size > 0) socket.unshift(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#size = 0;
    return socket;
  }

  /** Sends a request. Rejects unless the server responds with `OKAY`. */
  async request(service: string, timeoutMs: number): Promise<void> {
    const bytes = Buffer.from(service);
    this.#socket.write(Buffer.concat([Buffer.from(hex4(bytes.length)), bytes]));
    const status = (await this.#exactly(4, timeoutMs)).toString('latin1');
    if (status === 'OKAY') return;
    if (status !== 'FAIL')
      throw new AdbFailure('the server at this address does not use the protocol of adb');
    const reason = (await this.frame(timeoutMs, timeoutMs)).subarray(0, LONGEST_REASON).toString('utf8');
    throw new AdbFailure(`the adb server refused: ${reason}`);
  }

  /**
   * Reads a frame: a length in four hex digits and a text of at most 65,535 bytes.
   * @param timeoutMs time limit for the rest of the frame after its first byte
   * @param idle time limit (ms) for the first byte, or null if there is none
   */
  async frame(timeoutMs: number, idle: number | null): Promise<Buffer> {
    const first = await this.#exactly(1, idle);
    const length = `${first}${await this.#exactly(3, timeoutMs)}`;
    if (!/^[0-9a-fA-F]{4}$/.test(length))
      throw new AdbFailure('the server at this address does not use the protocol of adb');
    return await this.#exactly(Number.parseInt(length, 16), timeoutMs);
  }

  /**
   * Reads until the connection ends or `most` bytes have arrived.
   * @returns the bytes that have arrived, at most `most`
   */
  async rest(most: number, timeoutMs: number): Promise<Buffer> {
    await this.#within(timeoutMs, () => this.#buffered(most));
    return this.#take(Math.min(most, this.#size));
  }

  /** Yields the received bytes in chunks of any size until the connection ends. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      await this.#buffered(1);
      if (this.#size === 0) return;
      yield this.#take(this.#size);
    }
  }

  async #exactly(length: number, timeoutMs: number | null): Promise<Buffer> {
    if (timeoutMs === null) await this.#buffered(length);
    else await this.#within(timeoutMs, () => this.#buffered(length));
    if (this.#size < length) throw new AdbFailure(CLOSED);
    return this.#take(length);
  }

  /**
   * Resolves when `length` bytes have arrived or the connection has ended. While no call waits for bytes, the socket is
   * paused, so that unread data does not fill the memory.
   */
  async #buffered(length: number): Promise<void> {
    while (this.#size < length && !this.#isOver) {
      this.#socket.resume();
      await new Promise<void>((look) => {
        this.#look = look;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #take(length: number): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(length)];
    this.#size = all.length - length;
    return all.subarray(0, length);
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('data', (chunk) => {
      socket.pause();
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#look();
    });
    const over = () => {
      this.#isOver = true;
      this.#look();
    };
    socket.on('end', over).on('close', over);
    socket.on('error', (error) => {
      this.#failure = error;
      over();
    });
  }

  /**
   * Runs `work` with one time limit for the whole work. If each read had its own limit, a server could keep the work
   * going by sending single bytes.
   */
  async #within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const late = () => this.#socket.destroy(new AdbFailure('the adb server does not answer'));
    const timer = setTimeout(late, timeoutMs).unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }
}

function hex4(length: number): string {
  return length.toString(16).padStart(4, '0');
}
