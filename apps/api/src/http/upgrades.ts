import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isWebSocketUpgrade } from '@svc/outbound';
import { mayHaveBody, refuseUpgrade } from '@svc/webdriver-gate';
import type { FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';

/**
 * Maximum size of a WebSocket frame from a client (bytes). It is small because the server discards all data from
 * most clients. A larger frame closes the connection.
 */
const LARGEST_FRAME = 4096;
/** Maximum size of a message from a client on a socket that carries data (bytes). */
const LARGEST_DATA = 1024 * 1024;
/** Maximum number of frames from a client between two pings. A client that sends more is disconnected. */
const MOST_FRAMES = 600;
/** Maximum number of open WebSockets. Further upgrades are refused with 503. */
const MOST_OPEN = 4096;
/** Interval of pings (ms). A client that has not responded to a ping when the next ping is due is disconnected. */
const PING_EVERY_MS = 30_000;
/**
 * Maximum wait for the clients' close frames when the server stops (ms). Afterwards the server closes the remaining
 * connections.
 */
const CLOSE_MS = 500;

const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** Number of frames that a client has sent since the last ping, and whether the client has responded to that ping. */
interface Received {
  frames: number;
  answered: boolean;
}

const UPGRADE = Symbol('svc.upgrade');
interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}
type UpgradeRequest = IncomingMessage & { [UPGRADE]?: Upgrade };

/**
 * Returns whether a request asks for a WebSocket. If such a request is refused, the response has a status but no body
 * (contract 2).
 */
export function isUpgrade(req: IncomingMessage): boolean {
  return (req as UpgradeRequest)[UPGRADE] !== undefined;
}

/**
 * Routes WebSocket upgrades like ordinary requests, so that the guard, the schemas and the error handler apply to them.
 * The handler then calls `accept` to complete the upgrade.
 */
export class Upgrades {
  /**
   * WebSocket server that completes the handshakes, or undefined until the first upgrade, which loads the WebSocket
   * library.
   */
  #server: WebSocketServer | undefined;
  /** WebSocket server for sockets on which clients send data. Loaded together with `#server`. */
  #dataServer: WebSocketServer | undefined;
  readonly #paths: RegExp[] = [];
  readonly #received = new WeakMap<WebSocket, Received>();
  #pings: NodeJS.Timeout | undefined;

  /**
   * Starts to handle the upgrades that arrive at the server of `app`, and closes open sockets before that server stops.
   */
  serve(app: FastifyInstance): void {
    app.server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#route(app, req, socket, head);
    });
    app.addHook('preClose', async () => this.#close());
  }

  /** @param path path from the server's root; a segment such as `:name` matches any value */
  add(path: string): void {
    this.#paths.push(new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
  }

  /**
   * Completes the upgrade of a request that the guard has admitted. Call this in the route's handler, after
   * `reply.hijack()`.
   */
  accept(
    req: IncomingMessage,
    res: ServerResponse,
    opened: (socket: WebSocket) => void,
    carriesData = false,
  ): void {
    const upgrade = (req as UpgradeRequest)[UPGRADE];
    if (upgrade === undefined) throw new TypeError('not an upgrade');
    const { socket, head } = upgrade;
    if (socket.destroyed) return;
    res.detachSocket(socket as Socket);
    const server = carriesData ? this.#dataServer : this.#server;
    server?.handleUpgrade(req, socket, head, (webSocket) => {
      this.#watch(webSocket, carriesData);
      opened(webSocket);
    });
  }

  #route(app: FastifyInstance, req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (socket.destroyed) return;
    socket.on('error', ignore);
    const path = (req.url ?? '').split('?', 1)[0] as string;
    const isWebSocket = isWebSocketUpgrade(req);
    if (isWebSocket && !this.#paths.some((each) => each.test(path))) {
      refuseUpgrade(socket, 404);
      return;
    }
    if (isWebSocket && this.#server === undefined) {
      this.#open().then(
        () => this.#route(app, req, socket, head),
        () => refuseUpgrade(socket, 503),
      );
      return;
    }
    if (isWebSocket && this.#clients.length >= MOST_OPEN) {
      refuseUpgrade(socket, 503);
      return;
    }
    // Node.js stops parsing HTTP when a request asks to upgrade to another protocol. The body of such a request would
    // never be read, so a request with a body is refused.
    if (!isWebSocket && mayHaveBody(req)) {
      refuseUpgrade(socket, 400);
      return;
    }
    if (isWebSocket) (req as UpgradeRequest)[UPGRADE] = { socket, head };
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket as Socket);
    res.once('finish', () => socket.end(() => socket.destroy()));
    socket.once('close', () => res.destroy());
    app.routing(req, res);
  }

  /** Loads the WebSocket library. It is loaded with the first upgrade, because many servers never get one. */
  async #open(): Promise<void> {
    const { WebSocketServer: Server } = await import('ws');
    const options = { noServer: true, perMessageDeflate: false };
    this.#server ??= new Server({ ...options, maxPayload: LARGEST_FRAME });
    this.#dataServer ??= new Server({ ...options, maxPayload: LARGEST_DATA });
  }

  get #clients(): readonly WebSocket[] {
    return [this.#server, this.#dataServer].flatMap((server) => [...(server?.clients ?? [])]);
  }

  #watch(socket: WebSocket, carriesData: boolean): void {
    const received: Received = { frames: 0, answered: true };
    this.#received.set(socket, received);
    const count = () => {
      received.frames += 1;
      if (received.frames > MOST_FRAMES && !carriesData) socket.close(POLICY_VIOLATION);
    };
    socket.on('error', ignore);
    socket.on('message', count);
    socket.on('ping', count);
    socket.on('pong', () => {
      received.answered = true;
      count();
    });
    socket.once('close', () => {
      if (this.#clients.length === 0) this.#pings = void clearInterval(this.#pings);
    });
    this.#pings ??= setInterval(() => this.#ping(), PING_EVERY_MS).unref();
  }

  #ping(): void {
    for (const socket of this.#clients) {
      const received = this.#received.get(socket);
      // Nothing is read from a paused socket, so its pong has not arrived yet. Its other end is slow, not gone.
      if (socket.isPaused) continue;
      if (received?.answered !== true) {
        socket.terminate();
        continue;
      }
      received.answered = false;
      received.frames = 0;
      socket.ping();
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#pings);
    const open = this.#clients;
    if (open.length === 0) return;
    for (const socket of open) socket.close(GOING_AWAY);
    const closed = open.map((socket) => new Promise((done) => socket.once('close', done)));
    const timer = setTimeout(() => {
      for (const socket of open) socket.terminate();
    }, CLOSE_MS);
    await Promise.all(closed);
    clearTimeout(timer);
  }
}

function ignore(): void {}
