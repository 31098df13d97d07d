import type { Socket } from 'node:net';
import type { Caller, Clock, IssuedTicket } from '@svc/auth-core';
import type { Device } from '@svc/device-lab';
import type { WebSocket } from 'ws';
import { ReverseForward } from './local-adb.ts';
import { type ClientMessage, readClientMessage } from './messages.ts';
import type { NodeSockets } from './node-sockets.ts';
import type { PhoneProgram } from './phone-program.ts';
import { joinNode, joinService, type PumpCounts } from './pump.ts';
import type { RemoteService } from './remote-service.ts';
import type { RemoteUse } from './remote-users.ts';

/** An open WebSocket of somebody who may use the phone; the caller is null for the hub of this node. */
export interface OpenSocket {
  readonly socket: WebSocket;
  readonly device: Device;
  readonly caller: Caller | null;
}

export interface ServiceSocketTools {
  readonly program: PhoneProgram;
  readonly nodeSockets: NodeSockets;
  readonly nextId: () => string;
  readonly clock: Clock;
  /** Whether the phone may get another service. */
  readonly hasRoom: () => boolean;
  /** Issues another ticket for the phone, or null if this server issues none to the sender. */
  readonly ticket: (() => Promise<IssuedTicket>) | null;
  /** Takes a connection that waits on another socket of the sender. */
  readonly acceptedBy: (id: string) => Socket | undefined;
}

const CLOSE_CODES = { refused: 1008, unverified: 1011, gone: 1001 } as const;
const TEXT = { binary: false } as const;
/** Longest reason of a WebSocket's close frame (bytes). */
const LONGEST_REASON = 120;
/** Time (ms) that a client has to complete the closing handshake. After it, the connection is terminated. */
const CLOSE_MS = 500;
/** Maximum number of text messages of one socket in a minute, each of which may cost a signature. */
const MOST_MESSAGES = 6_000;
const MINUTE_MS = 60_000;

/** One WebSocket of a developer: asks for tickets and features, and carries at most one service. */
export class ServiceSocket {
  readonly opened: OpenSocket;
  readonly #tools: ServiceSocketTools;
  readonly #counts: PumpCounts = {
    toPhone: (bytes) => {
      if (this.#use !== undefined) this.#use.toPhone += bytes;
    },
    fromPhone: (bytes) => {
      if (this.#use !== undefined) this.#use.fromPhone += bytes;
    },
  };
  #use: RemoteUse | undefined;
  #noteService: (service: RemoteService) => void = () => undefined;
  #hasService = false;
  #reverse: ReverseForward | null = null;
  /** Connection to the service of the phone or to its node. */
  #service: { destroy(): void } | undefined;
  #isDescribing = false;
  #messages = 0;
  #minute = 0;

  constructor(opened: OpenSocket, tools: ServiceSocketTools) {
    this.opened = opened;
    this.#tools = tools;
  }

  get hasService(): boolean {
    return this.#hasService;
  }

  countInto(use: RemoteUse, note: (service: RemoteService) => void): void {
    this.#use = use;
    this.#noteService = note;
  }

  serve(): void {
    const { socket } = this.opened;
    socket.on('message', (content, isBinary) => {
      if (!isBinary) this.#received(String(content));
      else if (!this.#hasService) this.end('refused', 'bytes before a service');
    });
    socket.once('close', () => this.#reverse?.close());
  }

  /**
   * Closes the socket with a reason for the client. Discards what has not reached the phone yet, because the right to
   * send it may have ended.
   */
  end(kind: keyof typeof CLOSE_CODES, reason: string): void {
    const { socket } = this.opened;
    socket.resume();
    socket.close(CLOSE_CODES[kind], reason.slice(0, LONGEST_REASON));
    this.#service?.destroy();
    const late = setTimeout(() => socket.terminate(), CLOSE_MS).unref();
    socket.once('close', () => clearTimeout(late));
  }

  /** @returns a connection of this socket's `reverse` that waits to be accepted */
  accepted(id: string): Socket | undefined {
    return this.#reverse?.accept(id);
  }

  #received(text: string): void {
    if (this.#isClosed) return;
    const message = readClientMessage(text);
    if (message === undefined || this.#isTooMany()) {
      this.end('refused', message === undefined ? 'an unknown message' : 'too many messages');
      return;
    }
    void this.#serve(message).catch((error: unknown) => {
      this.#tell({ ok: false, message: error instanceof Error ? error.message : 'the phone did not answer' });
    });
  }

  #isTooMany(): boolean {
    const minute = Math.floor(this.#tools.clock.now() / MINUTE_MS);
    this.#messages = minute === this.#minute ? this.#messages + 1 : 1;
    this.#minute = minute;
    return this.#messages > MOST_MESSAGES;
  }

  async #serve(message: ClientMessage): Promise<void> {
    switch (message.kind) {
      case 'ticket':
        return await this.#sendTicket();
      case 'about':
        return await this.#describe();
      case 'service':
        return await this.#start(message.service);
      case 'accept':
        return await this.#claimFor(() => this.#accept(message));
    }
  }

  /** Each description needs a connection to the adb server or the node, so a socket gets one at a time. */
  async #describe(): Promise<void> {
    if (this.#isDescribing) throw new Error('this socket is waiting for a description already');
    this.#isDescribing = true;
    try {
      await this.#sendFeatures();
    } finally {
      this.#isDescribing = false;
    }
  }

  async #sendTicket(): Promise<void> {
    const { ticket } = this.#tools;
    if (ticket === null) throw new Error('a hub gets no tickets');
    try {
      this.#tell({ ...(await ticket()) });
    } catch {
      throw new Error('no ticket can be issued now');
    }
  }

  async #sendFeatures(): Promise<void> {
    const { device } = this.opened;
    if (device.node !== null) {
      await this.#describeThroughNode(device.node);
      return;
    }
    const features = await this.#tools.program.features(device.udid);
    this.#tell({ about: { features, name: device.name, udid: device.udid } });
  }

  async #start(text: string): Promise<void> {
    const { program } = this.#tools;
    const service = program.parse(text);
    if ('refused' in service)
      throw new Error(`svc does not allow the ${program.name} service ${service.refused}`);
    await this.#claimFor(async () => {
      this.#noteService(service);
      const { device } = this.opened;
      if (device.node === null) await this.#connect(service.request, device.udid);
      else await this.#throughNode(device.node, { service: service.request });
    });
  }

  async #connect(request: string, udid: string): Promise<void> {
    const phone = await this.#startLocally(request, udid);
    const remove = (removal: string) => this.#tools.program.connect(udid, removal);
    if (this.#isClosed) {
      phone.destroy();
      this.#reverse?.remove(remove);
      return;
    }
    this.#service = phone;
    this.#tell({ ok: true });
    const { socket } = this.opened;
    if (this.#reverse === null) joinService(socket, phone, this.#counts);
    else this.#reverse.hold(socket, phone, this.#counts, remove);
  }

  async #startLocally(request: string, udid: string): Promise<Socket> {
    const { program, nextId } = this.#tools;
    this.#reverse = ReverseForward.of(request, nextId, (id) => this.#tell({ accept: id }));
    if (this.#reverse === null) return await program.connect(udid, request);
    try {
      return await program.connect(udid, await this.#reverse.listen());
    } catch (error) {
      this.#reverse.close();
      this.#reverse = null;
      throw error;
    }
  }

  async #accept({ id }: { id: string }): Promise<void> {
    const { device, socket } = this.opened;
    if (device.node !== null) {
      await this.#throughNode(device.node, { accept: id });
      return;
    }
    const phone = this.#tools.acceptedBy(id);
    if (phone === undefined) throw new Error('this connection does not wait any more');
    this.#service = phone;
    this.#tell({ ok: true });
    joinService(socket, phone, this.#counts);
  }

  /** Connects the socket with the node, which gets the message and serves it. */
  async #throughNode(node: string, message: object): Promise<void> {
    const upstream = await this.#openNode(node);
    if (upstream === undefined) return;
    this.#service = { destroy: () => upstream.terminate() };
    joinNode(this.opened.socket, upstream, this.#counts, (answer) => this.#relay(answer));
    upstream.send(JSON.stringify(message), TEXT);
  }

  /** Resolves when the node has answered or its socket has closed. */
  async #describeThroughNode(node: string): Promise<void> {
    const upstream = await this.#openNode(node);
    if (upstream === undefined) return;
    const { socket } = this.opened;
    const stop = () => upstream.terminate();
    socket.once('close', stop);
    upstream.once('message', (answer) => {
      this.#relay(String(answer));
      upstream.close();
    });
    upstream.send(JSON.stringify({ about: true }), TEXT);
    await new Promise((closed) => upstream.once('close', closed));
    socket.off('close', stop);
  }

  /** @returns the node's socket, or undefined if the client has disconnected meanwhile */
  async #openNode(node: string): Promise<WebSocket | undefined> {
    const upstream = await this.#tools.nodeSockets.open(this.opened.device, node);
    if (!this.#isClosed) return upstream;
    upstream.terminate();
    return undefined;
  }

  /** Starts the service of this socket. If that fails, the socket may ask for another one. */
  async #claimFor(start: () => Promise<void>): Promise<void> {
    if (this.#hasService) throw new Error('this socket has a service already');
    if (!this.#tools.hasRoom()) throw new Error('64 services are open on this phone; close one first');
    this.#hasService = true;
    try {
      await start();
    } catch (error) {
      this.#hasService = false;
      throw error;
    }
  }

  get #isClosed(): boolean {
    const { socket } = this.opened;
    return socket.readyState !== socket.OPEN;
  }

  #tell(answer: object): void {
    this.#relay(JSON.stringify(answer));
  }

  #relay(text: string): void {
    if (!this.#isClosed) this.opened.socket.send(text, TEXT);
  }
}
