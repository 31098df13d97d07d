import type { Socket as TcpSocket } from 'node:net';
import type { WebSocket } from 'ws';
import type { AboutPhone, LabSockets } from '../phone/lab-sockets.ts';
import { recordOf } from '../phone/questions.ts';
import {
  type AdbPacket,
  encodeHeader,
  LARGEST_PAYLOAD,
  PacketReader,
  PROTOCOL_VERSION,
  splitAfter,
} from './protocol.ts';
import { Reverses } from './reverses.ts';

/**
 * Number of unsent bytes above which the other side has to wait: the adb server for its acknowledgement, or the lab,
 * which goes on below `LOW_WATER`.
 */
const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 512 * 1024;
const BINARY = { binary: true } as const;
/** Features that change the protocol between the adb server and this bridge, which does not implement them. */
const UNSUPPORTED = new Set(['delayed_ack', 'tls', 'remount_shell']);

interface Stream {
  readonly id: number;
  /** Id of the stream at the adb server. 0 until it has accepted a stream that the phone opened. */
  remote: number;
  socket: WebSocket | undefined;
  /** Bytes for the adb server, and their number. */
  queue: Buffer[];
  queued: number;
  /** Whether the adb server has not acknowledged the last bytes yet. */
  isWaiting: boolean;
  isOver: boolean;
}

/** Speaks adbd's protocol with one connection of a local adb server, and carries each service to the lab. */
export class AdbBridge {
  readonly #adb: TcpSocket;
  readonly #lab: LabSockets;
  readonly #about: AboutPhone;
  readonly #warn: (text: string) => void;
  readonly #reader = new PacketReader();
  readonly #streams = new Map<number, Stream>();
  readonly #reverses: Reverses;
  #nextId = 1;
  #largest = 4_096;

  constructor(adb: TcpSocket, lab: LabSockets, about: AboutPhone, warn: (text: string) => void) {
    this.#adb = adb;
    this.#lab = lab;
    this.#about = about;
    this.#warn = warn;
    this.#reverses = new Reverses(lab, (local, socket) => this.#openLocally(local, socket));
    adb.setNoDelay(true);
    adb.on('data', (chunk) => this.#received(chunk));
    adb.on('error', () => undefined);
    adb.once('close', () => this.#close());
  }

  #received(chunk: Buffer): void {
    try {
      for (const packet of this.#reader.push(chunk)) this.#take(packet);
    } catch (error) {
      this.#warn(String(error));
      this.#adb.destroy();
    }
  }

  #take(packet: AdbPacket): void {
    const { command, first, second, payload } = packet;
    const stream = this.#streams.get(second);
    switch (command) {
      case 'CNXN':
        this.#largest = Math.min(second, LARGEST_PAYLOAD);
        this.#send('CNXN', PROTOCOL_VERSION, LARGEST_PAYLOAD, [Buffer.from(bannerOf(this.#about))]);
        return;
      case 'OPEN':
        void this.#open(first, Buffer.concat(payload).toString('utf8').replace(/\0+$/, ''));
        return;
      case 'WRTE':
        if (stream?.socket === undefined) this.#send('CLSE', 0, first);
        else this.#write(stream, stream.socket, payload);
        return;
      case 'OKAY':
        if (stream === undefined) return;
        stream.remote = first;
        stream.isWaiting = false;
        this.#flush(stream);
        return;
      case 'CLSE':
        if (stream === undefined) return;
        this.#streams.delete(stream.id);
        stream.socket?.close();
        // A paused socket would not read the end of the connection.
        stream.socket?.resume();
        this.#send('CLSE', stream.id, first);
        return;
      default:
        return;
    }
  }

  /** Starts a service for the adb server. */
  async #open(remote: number, service: string): Promise<void> {
    const stream = this.#add(remote);
    const known = this.#reverses.answerTo(service);
    if (known !== undefined) {
      this.#send('OKAY', stream.id, remote);
      stream.isOver = true;
      this.#receive(stream, known);
      return;
    }
    const kept = this.#reverses.isForward(service);
    // Bytes may arrive together with the lab's answer. The adb server would discard them before its stream is open.
    stream.isWaiting = true;
    try {
      await this.#lab.open({ service }, (socket) => {
        // The program may have given up before the lab answered.
        if (!this.#streams.has(stream.id)) return void socket.close();
        stream.socket = socket;
        socket.once('close', () => {
          if (kept) this.#reverses.forget(socket);
          stream.isOver = true;
          this.#flush(stream);
        });
        socket.on('message', (content, isBinary) => {
          if (!isBinary) return this.#reverses.offered(service, recordOf(String(content)));
          // The answer to a reverse ends the stream of adb, but its socket stays open, because the lab ends the
          // forward with it.
          if (kept) {
            stream.isOver = true;
            stream.socket = undefined;
            this.#reverses.keep(service, socket);
          }
          this.#receive(stream, content as Buffer);
        });
      });
      this.#send('OKAY', stream.id, remote);
      stream.isWaiting = false;
      this.#flush(stream);
    } catch (error) {
      if (!this.#streams.delete(stream.id)) return;
      this.#warn(error instanceof Error ? error.message : String(error));
      this.#send('CLSE', 0, remote);
    }
  }

  /** Opens a connection to a port of this machine, because an app of the phone connected to a reverse. */
  #openLocally(local: string, socket: WebSocket): void {
    const stream = this.#add(0);
    stream.socket = socket;
    stream.isWaiting = true;
    socket.on('message', (content, isBinary) => {
      if (isBinary) this.#receive(stream, content as Buffer);
    });
    socket.once('close', () => {
      stream.isOver = true;
      this.#flush(stream);
    });
    this.#send('OPEN', stream.id, 0, [Buffer.from(`${local}\0`)]);
  }

  #add(remote: number): Stream {
    const id = this.#nextId++;
    const stream: Stream = {
      ...{ id, remote, socket: undefined },
      ...{ queue: [], queued: 0, isWaiting: false, isOver: false },
    };
    this.#streams.set(id, stream);
    return stream;
  }

  /** Sends bytes to the phone, and acknowledges them when the lab takes them fast enough. */
  #write(stream: Stream, socket: WebSocket, payload: readonly Buffer[]): void {
    const acknowledge = () => {
      if (this.#streams.has(stream.id)) this.#send('OKAY', stream.id, stream.remote);
    };
    const isFast = socket.bufferedAmount < HIGH_WATER;
    const last = payload.at(-1);
    for (const piece of payload)
      socket.send(piece, BINARY, piece === last && !isFast ? acknowledge : () => undefined);
    if (isFast || last === undefined) acknowledge();
  }

  /** Takes bytes for the adb server, and pauses the lab while it does not take them. */
  #receive(stream: Stream, bytes: Buffer): void {
    if (!this.#streams.has(stream.id)) return;
    stream.queue.push(bytes);
    stream.queued += bytes.length;
    this.#flush(stream);
    if (stream.queued > HIGH_WATER) stream.socket?.pause();
  }

  /** Sends waiting bytes to the adb server, one packet at a time, as its protocol demands. */
  #flush(stream: Stream): void {
    if (stream.isWaiting || !this.#streams.has(stream.id)) return;
    if (stream.queued > 0) {
      const { taken, left } = splitAfter(stream.queue, this.#largest);
      stream.queue = left;
      stream.queued = left.reduce((sum, { length }) => sum + length, 0);
      stream.isWaiting = true;
      this.#send('WRTE', stream.id, stream.remote, taken);
      if (stream.queued < LOW_WATER && stream.socket?.isPaused) stream.socket.resume();
      return;
    }
    stream.queue = [];
    if (!stream.isOver) return;
    this.#streams.delete(stream.id);
    this.#send('CLSE', stream.id, stream.remote);
  }

  #send(
    command: Parameters<typeof encodeHeader>[0],
    first: number,
    second: number,
    payload: readonly Buffer[] = [],
  ): void {
    if (this.#adb.destroyed) return;
    // The payload is not copied behind its header, which would cost a file transfer a copy of every byte.
    this.#adb.cork();
    const length = payload.reduce((sum, piece) => sum + piece.length, 0);
    this.#adb.write(encodeHeader(command, first, second, length));
    for (const piece of payload) this.#adb.write(piece);
    this.#adb.uncork();
  }

  #close(): void {
    for (const { socket } of this.#streams.values()) socket?.close();
    this.#streams.clear();
    this.#reverses.close();
  }
}

function bannerOf({ features, name }: AboutPhone): string {
  const model = name.replace(/[^\w.-]+/g, '_') || 'phone';
  const usable = features.filter((feature) => !UNSUPPORTED.has(feature));
  const properties = ['name', 'model', 'device'].map((key) => `ro.product.${key}=${model};`);
  return `device::${properties.join('')}features=${usable.join(',')}`;
}
