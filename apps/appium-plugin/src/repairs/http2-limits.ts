import type { Socket } from 'node:net';
import type { AppiumServer, Http2Stream, SpdyServer } from '../appium-types.ts';

/** Time limits for an HTTP/2 client, in ms. */
export interface Http2Limits {
  /** Maximum time from the TLS handshake to the first request. */
  readonly silentMs: number;
  /** Maximum time without an open request between two requests. */
  readonly idleMs: number;
  /** Maximum time for receiving the rest of a request body after its response is complete. */
  readonly unreadMs: number;
}

/** Default limits. Idle HTTP/2 connections stay open for as long as Appium's HTTP/1.1 connections. */
const LIMITS: Http2Limits = { silentMs: 60_000, idleMs: 600_000, unreadMs: 5_000 };

/**
 * Limits how long an HTTP/2 client can keep a connection open without requests, or send a body after its response is
 * complete. Long commands and their responses are not limited. Does nothing unless the server comes from the `spdy`
 * package, which Appium uses for HTTP/2 over TLS.
 */
export function limitHttp2(server: AppiumServer, limits: Http2Limits = LIMITS): void {
  if (!isSpdy(server)) return;
  exemptFromHttp1(server);
  const connections = new WeakMap<Socket, Connection>();
  server.on('secureConnection', (socket: Socket & { alpnProtocol?: string | false | null }) => {
    if (socket.alpnProtocol !== 'h2') return;
    connections.set(socket, new Connection(socket, limits));
  });
  const onStream = server._onStream;
  server._onStream = (stream) => {
    closeUnread(stream, limits.unreadMs);
    connections.get(stream.connection.socket)?.add(stream);
    onStream.call(server, stream);
  };
}

function isSpdy(server: AppiumServer): server is SpdyServer {
  const { _onStream, _invokeDefault } = server as Partial<SpdyServer>;
  return typeof _onStream === 'function' && typeof _invokeDefault === 'function';
}

/**
 * Removes the HTTP/1 parser that Node attaches to the virtual socket of a request over HTTP/2. The parser gets no
 * input, so Node would wait in vain for headers and abort every command that takes longer than the time limit for
 * headers.
 */
function exemptFromHttp1(server: SpdyServer): void {
  const invoke = server._invokeDefault;
  server._invokeDefault = (socket) => {
    invoke.call(server, socket);
    if (socket._spdyState !== undefined) socket.parser?.remove?.();
  };
}

class Connection {
  readonly #socket: Socket;
  readonly #idleMs: number;
  #streams = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, { silentMs, idleMs }: Http2Limits) {
    this.#socket = socket;
    this.#idleMs = idleMs;
    this.#closeIn(silentMs);
    socket.once('close', () => clearTimeout(this.#timer));
  }

  add(stream: Http2Stream): void {
    this.#streams += 1;
    clearTimeout(this.#timer);
    stream.once('close', () => {
      this.#streams -= 1;
      if (this.#streams === 0 && !this.#socket.destroyed) this.#closeIn(this.#idleMs);
    });
  }

  #closeIn(ms: number): void {
    this.#timer = setTimeout(() => this.#socket.destroy(), ms).unref();
  }
}

function closeUnread(stream: Http2Stream, unreadMs: number): void {
  stream.once('finish', () => {
    const timer = setTimeout(() => stream.abort(), unreadMs).unref();
    stream.once('close', () => clearTimeout(timer));
  });
}
