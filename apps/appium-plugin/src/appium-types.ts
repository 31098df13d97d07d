import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/*
 * The parts of Appium 3 this plugin touches, as docs and measurements show them. Kept here and nowhere else, so
 * that a new release of Appium is checked against one file.
 */

export interface AppiumServer extends Server {
  /** Since 3.7: runs before every route, after logging and body parsing. */
  readonly frontRouter?: FrontRouter;
  close(): never;
  /** The servers of WebSockets that are registered, by path. */
  readonly webSocketsMapping?: Readonly<Record<string, SocketServer>>;
  addWebSocketHandler(path: string, server: SocketServer): Promise<void>;
  isSecure?(): boolean;
}

/** Appium's server over TLS, as `spdy` makes it. */
export interface SpdyServer extends AppiumServer {
  /** Every request over HTTP/2. */
  _onStream(stream: Http2Stream): void;
  /** Hands a connection of HTTP/1, or what stands for one of a request over HTTP/2, to Node. */
  _invokeDefault(socket: SpdySocket): void;
}

export interface Http2Stream extends Duplex {
  readonly connection: { readonly socket: Socket };
  abort(): void;
}

type SpdySocket = Socket & {
  /** Set for a request over HTTP/2 only. */
  readonly _spdyState?: object;
  readonly parser?: { remove?(): void };
};

/** A `ws` server that Appium, a driver or a plugin registers, as far as it is touched. */
export interface SocketServer extends EventEmitter {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  readonly options: { maxPayload: number };
  handleUpgrade(
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (opened: AppiumSocket) => void,
  ): void;
}

/** A WebSocket of `ws`, as far as it is touched. */
export interface AppiumSocket extends EventEmitter {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  close(code?: number, reason?: string | Uint8Array): void;
  terminate(): void;
}

/** Appium's Express application. */
export interface ExpressApp {
  /** The prototypes it gives to every request and answer. */
  request: object;
  response: object;
  get(path: string, handler: FrontHandler): void;
}

/** What Appium's log tells of each message, after its filters and whatever its level. */
export interface AppiumLogMessage {
  readonly level: string;
  readonly prefix: string;
  readonly message: string;
}

/** All listeners get the same object, and one of them writes the log: what an earlier listener changes is written. */
export type ChangeableLogMessage = { -readonly [Key in keyof AppiumLogMessage]: AppiumLogMessage[Key] };

export interface ObservableLog {
  /** Facts about the request being served; `--log-format json` writes them beside each message. */
  readonly asyncStorage: { getStore(): Record<string, unknown> | undefined };
  on(event: 'log', report: LogListener): void;
  off(event: 'log', report: LogListener): void;
  prependListener(event: 'log', change: LogListener): void;
  listeners(event: 'log'): LogListener[];
}

type LogListener = (message: AppiumLogMessage) => void;

/** Sees every request; Express has read its path and body. */
export type FrontHandler = (
  req: IncomingMessage & { readonly path: string; readonly body?: unknown },
  res: ServerResponse,
  next: () => void,
) => void;

interface FrontRouter {
  use(handler: FrontHandler): void;
}

/** Command line arguments, by their `dest` names. */
export interface ServerArgs {
  readonly address?: string;
  readonly basePath?: string;
  readonly allowCors?: boolean;
  readonly logFilters?: unknown;
  readonly plugin?: { readonly svc?: Record<string, unknown> };
}

/** Appium's own driver: knows every session of the server. */
export interface UmbrellaDriver {
  readonly server: object;
  readonly sessions: Record<string, InnerDriver>;
  attachUnexpectedShutdownHandler(driver: InnerDriver, id: string): void;
  deleteSession(id: string): Promise<{ readonly error?: Error }>;
}

/** The driver of one session. */
export interface InnerDriver {
  deleteSession(...args: unknown[]): Promise<unknown>;
  readonly eventEmitter?: EventEmitter;
  /** The base path of the server, for drivers and plugins that send it requests. */
  serverPath?: string | undefined;
  /** As it answered them, and as it was given them. */
  readonly caps?: unknown;
  readonly originalCaps?: unknown;
  /** Set while the driver waits for the next command. */
  readonly noCommandTimer?: unknown;
  startNewCommandTimeout?(): Promise<void>;
  /** Runs a command of its own; queued behind the one that runs. The session id comes last. */
  executeCommand(command: string, ...args: unknown[]): Promise<unknown>;
}

/** What `createSession` answers: the driver's refusal is an answer, not a throw. */
export interface CreateResult {
  readonly value?: readonly [string, Record<string, unknown>, string?];
  readonly error?: Error;
}

export interface ListedSession {
  readonly id: string;
  /** Ms since 1970. */
  readonly created?: number;
  readonly capabilities?: object;
}
