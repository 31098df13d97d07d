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
  #chunks: Buffer[] = [];
  #size = 0;
  #isOver = false;
  #failure: Error | undefined;
  #look: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  static async open({ host, port }: AdbAddress, patience: number): Promise<AdbConnection> {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const connection = new AdbConnection(socket);
    await connection.#within(patience, () => connection.#connected());
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
    await this.#within(patience, () => this.#buffered(most));
    return this.#take(Math.min(most, this.#size));
  }

  /** What comes until the end, as it is asked for. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      await this.#buffered(1);
      if (this.#size === 0) return;
      yield this.#take(this.#size);
    }
  }

  async #exactly(length: number, patience: number | null): Promise<Buffer> {
    if (patience === null) await this.#buffered(length);
    else await this.#within(patience, () => this.#buffered(length));
    if (this.#size < length) throw new AdbFailure(CLOSED);
    return this.#take(length);
  }

  /** Resolves once so many bytes are there, or no more will come. Between calls the socket is paused. */
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
}

function hex4(length: number): string {
  return length.toString(16).padStart(4, '0');
}
