import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/*
 * The types of Appium 3 that this plugin uses, taken from its documentation and from tests. They are all in this file,
 * so that a new release of Appium can be compared with one file.
 */

export interface AppiumServer extends Server {
  /** Router that runs before every route, after logging and body parsing. It exists since Appium 3.7. */
  readonly frontRouter?: FrontRouter;
  close(): never;
  /** Registered WebSocket servers by path. */
  readonly webSocketsMapping?: Readonly<Record<string, SocketServer>>;
  addWebSocketHandler(path: string, server: SocketServer): Promise<void>;
  isSecure?(): boolean;
}

/** Server that Appium creates with the `spdy` package when it uses TLS. */
export interface SpdyServer extends AppiumServer {
  /** Handles a request over HTTP/2. `spdy` calls this method for every such request. */
  _onStream(stream: Http2Stream): void;
  /**
   * Passes a socket to Node's HTTP/1 server. The socket is either an HTTP/1 connection or the virtual socket that
   * `spdy` creates for a request over HTTP/2.
   */
  _invokeDefault(socket: SpdySocket): void;
}

export interface Http2Stream extends Duplex {
  readonly connection: { readonly socket: Socket };
  abort(): void;
}

type SpdySocket = Socket & {
  /** State of the HTTP/2 request; undefined on the socket of an HTTP/1 connection. */
  readonly _spdyState?: object;
  readonly parser?: { remove?(): void };
};

/**
 * WebSocket server of the `ws` package that Appium, a driver or a plugin registers, with the members that this plugin
 * uses.
 */
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

/** WebSocket of the `ws` package, with the members that this plugin uses. */
export interface AppiumSocket extends EventEmitter {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  close(code?: number, reason?: string | Uint8Array): void;
  terminate(): void;
}

/** Appium's Express application. */
export interface ExpressApp {
  /** Prototypes that Express sets on every request and response. */
  request: object;
  response: object;
  get(path: string, handler: FrontHandler): void;
}

/**
 * Message that Appium's log passes to its listeners after it has applied its filters. Listeners also get messages below
 * the log level.
 */
export interface AppiumLogMessage {
  readonly level: string;
  readonly prefix: string;
  readonly message: string;
}

/**
 * Log message that a listener may change. All listeners get the same object and one of them writes the log, so the log
 * contains the changes of listeners that ran earlier.
 */
export type ChangeableLogMessage = { -readonly [Key in keyof AppiumLogMessage]: AppiumLogMessage[Key] };

export interface ObservableLog {
  /** Storage of facts about the current request, which `--log-format json` writes with each message. */
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

/** Command line arguments of Appium, by their `dest` names. */
export interface ServerArgs {
  readonly address?: string;
  readonly basePath?: string;
  readonly allowCors?: boolean;
  readonly logFilters?: unknown;
  /** Names of the active plugins, or only `all`. */
  readonly usePlugins?: readonly string[];
  readonly plugin?: { readonly svc?: Record<string, unknown> };
}

/** Appium's own driver, which holds the drivers of all sessions of the server. */
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
  /** Base path of the server, which drivers and plugins use when they send requests to it. */
  serverPath?: string | undefined;
  /** Capabilities that the driver returned (`caps`), and capabilities that it received (`originalCaps`). */
  readonly caps?: unknown;
  readonly originalCaps?: unknown;
  /** Timer that ends an idle session; set while the driver waits for the next command. */
  readonly noCommandTimer?: unknown;
  startNewCommandTimeout?(): Promise<void>;
  /** Time (ms) without a command after which the driver ends the session; 0 means never. */
  newCommandTimeoutMs?: number;
  /** Queues a command of the driver, which runs after the current one. The last argument is the session id. */
  executeCommand(command: string, ...args: unknown[]): Promise<unknown>;
}

/** Result of `createSession`. If the driver refuses the session, `error` contains its error, and nothing is thrown. */
export interface CreateResult {
  readonly value?: readonly [string, Record<string, unknown>, string?];
  readonly error?: Error;
}

export interface ListedSession {
  readonly id: string;
  /** Time of creation in ms since 1970. */
  readonly created?: number;
  readonly capabilities?: object;
}
