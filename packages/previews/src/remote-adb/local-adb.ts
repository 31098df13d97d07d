import { createServer, type Server, type Socket } from 'node:net';
import type { AdbAddress } from '@svc/device-lab';
import { AdbConnection } from '@svc/device-lab';
import type { WebSocket } from 'ws';
import type { PumpCounts } from './pump.ts';

const ANSWER_MS = 10_000;
const LONGEST_FEATURES = 4_096;
/** Time (ms) within which the client has to accept a connection that an app of the phone has opened. */
const ACCEPT_MS = 10_000;
/** Maximum number of unsent bytes of adbd's answer to a `reverse`, which has a few bytes. */
const LONGEST_ANSWER = 65_536;
/** Maximum number of connections of one `reverse` that wait to be accepted. */
const MOST_WAITING = 16;

/** Starts a service of a phone. Rejects with an error whose message the client may see. */
export async function openService(address: AdbAddress, udid: string, request: string): Promise<Socket> {
  const connection = await AdbConnection.open(address, ANSWER_MS);
  try {
    await connection.request(`host:transport:${udid}`, ANSWER_MS);
    await connection.request(request, ANSWER_MS);
    return connection.detach();
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @returns the features of the phone's adbd and of the adb server, which decide how programs use the services */
export async function featuresOf(address: AdbAddress, udid: string): Promise<readonly string[]> {
  const connection = await AdbConnection.open(address, ANSWER_MS);
  try {
    await connection.request(`host-serial:${udid}:features`, ANSWER_MS);
    const text = String(await connection.frame(ANSWER_MS, ANSWER_MS)).slice(0, LONGEST_FEATURES);
    return text.split(',').filter((name) => /^[\w.]{1,40}$/.test(name));
  } finally {
    connection.close();
  }
}

/** The two ends of `reverse:forward:<on the phone>;<on the developer's machine>`. */
const FORWARD = /^reverse:forward:((?:norebind:)?)([^;]+);([^;]+)$/;

/**
 * Connections from a phone to the developer's machine. adbd would connect to the requested port of the lab's host, so
 * the request gets a listener of the lab in its place, and the developer's machine accepts each connection over a
 * socket of its own (contract 16.2).
 */
export class ReverseForward {
  readonly #server: Server;
  readonly #waiting = new Map<string, Socket>();
  readonly #remote: string;
  readonly #norebind: string;
  readonly #nextId: () => string;
  readonly #offer: (id: string) => void;

  private constructor(parts: RegExpExecArray, nextId: () => string, offer: (id: string) => void) {
    const [, norebind = '', remote = ''] = parts;
    this.#norebind = norebind;
    this.#remote = remote;
    this.#nextId = nextId;
    this.#offer = offer;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#opened(socket));
  }

  /**
   * @param offer called with the id of each connection that the client may accept
   * @returns the forward, or null if the request is another one, such as `reverse:list-forward`
   */
  static of(request: string, nextId: () => string, offer: (id: string) => void): ReverseForward | null {
    const parts = FORWARD.exec(request);
    return parts === null ? null : new ReverseForward(parts, nextId, offer);
  }

  /** Opens the listener. @returns the request that adbd gets in place of the client's */
  async listen(): Promise<string> {
    await new Promise<void>((done, failed) => {
      this.#server.on('error', failed);
      this.#server.listen(0, '127.0.0.1', done);
    });
    const bound = this.#server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    return `reverse:forward:${this.#norebind}${this.#remote};tcp:${port}`;
  }

  /**
   * Passes adbd's answer on, and removes the forward from the phone when the client's socket closes, because the listener
   * ends with it.
   * @param connect sends the request that removes the forward
   */
  hold(
    client: WebSocket,
    phone: Socket,
    counts: PumpCounts,
    connect: (removal: string) => Promise<Socket>,
  ): void {
    phone.on('data', (chunk: Buffer) => {
      counts.fromPhone(chunk.length);
      if (client.bufferedAmount > LONGEST_ANSWER) phone.destroy();
      else client.send(chunk);
    });
    phone.on('error', () => undefined);
    phone.resume();
    client.once('close', () => {
      phone.destroy();
      this.remove(connect);
    });
  }

  /**
   * Removes the forward from the phone. Otherwise an app of the phone could later reach whatever listens on the port then.
   * @param connect sends the request that removes the forward
   */
  remove(connect: (removal: string) => Promise<Socket>): void {
    connect(`reverse:killforward:${this.#remote}`).then(
      (removal) => {
        removal.on('error', () => undefined);
        removal.once('end', () => removal.destroy());
        removal.resume();
      },
      () => undefined,
    );
  }

  accept(id: string): Socket | undefined {
    const socket = this.#waiting.get(id);
    this.#waiting.delete(id);
    return socket;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.values()) socket.destroy();
    this.#waiting.clear();
  }

  #opened(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.#waiting.size >= MOST_WAITING) {
      socket.destroy();
      return;
    }
    const id = this.#nextId();
    this.#waiting.set(id, socket);
    const late = setTimeout(() => {
      if (this.#waiting.delete(id)) socket.destroy();
    }, ACCEPT_MS).unref();
    socket.once('close', () => {
      clearTimeout(late);
      this.#waiting.delete(id);
    });
    this.#offer(id);
  }
}
