import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/*
 * The parts of Appium 3 that this plugin uses, from its documentation and from tests. They are all in this file, so that
 * a new release of Appium can be compared with one file.
 */

export interface AppiumServer extends Server {
  /** Runs before every route, after logging and body parsing. Exists since Appium 3.7. */
  readonly frontRouter?: FrontRouter;
  close(): never;
  /** Registered servers of WebSockets, by path. */
  readonly webSocketsMapping?: Readonly<Record<string, SocketServer>>;
  addWebSocketHandler(path: string, server: SocketServer): Promise<void>;
  isSecure?(): boolean;
}

/** Appium's server over TLS, which `spdy` creates. */
export interface SpdyServer extends AppiumServer {
  /** Called for every request over HTTP/2. */
  _onStream(stream: Http2Stream): void;
  /** Passes an HTTP/1 connection to Node, or the socket that represents a request over HTTP/2. */
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

/** A `ws` server that Appium, a driver or a plugin registers, with the members that are used. */
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

/** A WebSocket of `ws`, with the members that are used. */
export interface AppiumSocket extends EventEmitter {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  close(code?: number, reason?: string | Uint8Array): void;
  terminate(): void;
}

/** Appium's Express application. */
export interface ExpressApp {
  /** The prototypes that it sets on every request and response. */
  request: object;
  response: object;
  get(path: string, handler: FrontHandler): void;
}

/** A message that Appium's log emits after its filters, regardless of the level. */
export interface AppiumLogMessage {
  readonly level: string;
  readonly prefix: string;
  readonly message: string;
}

/** All listeners get the same object, and one of them writes the log, so changes of an earlier listener are written. */
export type ChangeableLogMessage = { -readonly [Key in keyof AppiumLogMessage]: AppiumLogMessage[Key] };

export interface ObservableLog {
  /** Facts about the current request. `--log-format json` writes them with each message. */
  readonly asyncStorage: { getStore(): Record<string, unknown> | undefined };
  on(event: 'log', report: LogListener): void;
  off(event: 'log', report: LogListener): void;
  prependListener(event: 'log', change: LogListener): void;
  listeners(event: 'log'): LogListener[];
}

type LogListener = (message: AppiumLogMessage) => void;

/** Handles a request after Express has parsed its path and body. */
export type FrontHandler = (
  req: IncomingMessage & { readonly path: string; readonly body?: unknown },
  res: ServerResponse,
  next: () => void,
) => void;

interface FrontRouter {
  use(handler: FrontHandler): void;
}

/** Command line arguments by their `dest` names. */
export interface ServerArgs {
  readonly address?: string;
  readonly basePath?: string;
  readonly allowCors?: boolean;
  readonly logFilters?: unknown;
  readonly plugin?: { readonly svc?: Record<string, unknown> };
}

/** Appium's own driver, which has all sessions of the server. */
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
  /** The capabilities that it returned, and those that it was given. */
  readonly caps?: unknown;
  readonly originalCaps?: unknown;
  /** Set while the driver waits for the next command. */
  readonly noCommandTimer?: unknown;
  startNewCommandTimeout?(): Promise<void>;
  /** Runs a command of the driver after the running one. The session id is the last argument. */
  executeCommand(command: string, ...args: unknown[]): Promise<unknown>;
}

/** Result of `createSession`. If the driver refuses, it is returned as `error` and not thrown. */
export interface CreateResult {
  readonly value?: readonly [string, Record<string, unknown>, string?];
  readonly error?: Error;
}

export interface ListedSession {
  readonly id: string;
  /** In ms since 1970. */
  readonly created?: number;
  readonly capabilities?: object;
}
