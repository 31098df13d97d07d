import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** Maximum size of a frame. A larger one closes the connection, because what clients send is not used. */
const LARGEST_FRAME = 4096;
/** Maximum number of frames from a client between two pings. */
const MOST_FRAMES = 600;
/** Maximum number of open sockets. Further ones get 503. */
const MOST_OPEN = 4096;
/** Interval of pings. A client that has not responded to a ping by the next one is disconnected. */
const PING_EVERY_MS = 30_000;
/** Time for a client's close frame when the server stops. */
const CLOSE_MS = 500;

const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** What the client has sent since the last ping. */
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

/** Whether a request asks for a WebSocket. It is refused with a bare status (contract 2). */
export function isUpgrade(req: IncomingMessage): boolean {
  return (req as UpgradeRequest)[UPGRADE] !== undefined;
}

/**
 * Routes WebSocket upgrades like requests, so that guard, schemas and error handler apply to them; then `accept`
 * completes them. Ordinary requests are not affected.
 */
export class Upgrades {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
  });
  readonly #paths: RegExp[] = [];
  readonly #received = new WeakMap<WebSocket, Received>();
  #pings: NodeJS.Timeout | undefined;

  /** Handles the upgrades of the server of `app`, and closes open sockets before it stops. */
  serve(app: FastifyInstance): void {
    app.server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#route(app, req, socket, head);
    });
    app.addHook('preClose', async () => this.#close());
  }

  /** @param path path from the server's root, with `:names` for parameters */
  add(path: string): void {
    this.#paths.push(new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
  }

  /** Completes the upgrade of an admitted request. Call it within its handler, after `reply.hijack()`. */
  accept(req: IncomingMessage, res: ServerResponse, opened: (socket: WebSocket) => void): void {
    const upgrade = (req as UpgradeRequest)[UPGRADE];
    if (upgrade === undefined) throw new TypeError('not an upgrade');
    const { socket, head } = upgrade;
    if (socket.destroyed) return;
    res.detachSocket(socket as Socket);
    this.#server.handleUpgrade(req, socket, head, (webSocket) => {
      this.#watch(webSocket);
      opened(webSocket);
    });
  }

  #route(app: FastifyInstance, req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', ignore);
    const path = (req.url ?? '').split('?', 1)[0] as string;
    const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket';
    if (isWebSocket && !this.#paths.some((each) => each.test(path))) {
      refuse(socket, 404);
      return;
    }
    if (isWebSocket && this.#server.clients.size >= MOST_OPEN) {
      refuse(socket, 503);
      return;
    }
    // For a request with a body that asks for another protocol, Node.js has stopped reading HTTP.
    if (!isWebSocket && mayHaveBody(req)) {
      refuse(socket, 400);
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

  #watch(socket: WebSocket): void {
    const received: Received = { frames: 0, answered: true };
    this.#received.set(socket, received);
    const count = () => {
      received.frames += 1;
      if (received.frames > MOST_FRAMES) socket.close(POLICY_VIOLATION);
    };
    socket.on('error', ignore);
    socket.on('message', count);
    socket.on('ping', count);
    socket.on('pong', () => {
      received.answered = true;
      count();
    });
    socket.once('close', () => {
      if (this.#server.clients.size === 0) this.#pings = void clearInterval(this.#pings);
    });
    this.#pings ??= setInterval(() => this.#ping(), PING_EVERY_MS).unref();
  }

  #ping(): void {
    for (const socket of this.#server.clients) {
      const received = this.#received.get(socket);
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
    const open = [...this.#server.clients];
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

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Sends a bare status and closes the connection. */
function refuse(socket: Duplex, status: 400 | 404 | 503): void {
  socket.once('finish', () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function ignore(): void {}
