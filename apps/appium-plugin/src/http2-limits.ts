import type { Socket } from 'node:net';
import type { AppiumServer, Http2Stream, SpdyServer } from './appium-types.ts';

/** Time limits for a client, in ms. */
export interface Http2Limits {
  /** From the handshake to the first request. */
  readonly silentMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  /** For the rest of a request body after its response is complete. */
  readonly unreadMs: number;
}

/** Idle connections stay open as long as Appium's HTTP/1.1 connections. */
const LIMITS: Http2Limits = { silentMs: 60_000, idleMs: 600_000, unreadMs: 5_000 };

/**
 * Limits how long an HTTP/2 client can keep a connection open without requests, or send a body after its response is
 * complete. Long commands and their responses are not limited. Appium serves HTTP/2 over TLS with `spdy`; on other
 * servers this does nothing.
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
 * Removes the HTTP/1 parser of a request over HTTP/2, which gets no input. Node would wait for its headers, and would
 * close every command that takes longer than the time limit for headers.
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
