import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Clock, Log } from '@svc/auth-core';
import { refusalLines } from '@svc/module';
import { printable } from '@svc/webdriver-gate';
import type { AppiumServer, AppiumSocket, SocketServer } from '../appium-types.ts';

interface ContainOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
  /** Returns the client's address, from a source that the client cannot forge. */
  readonly peerOf: (req: IncomingMessage) => string;
}

/** Reports a failure of one socket and ends that socket. */
type Fail = (error: unknown) => void;

/**
 * Closes a WebSocket whose listener throws, so that the exception affects no other session. Otherwise an exception in a
 * listener of Appium or a driver would end the process and all its sessions (contract 7). Such exceptions occur because
 * Appium passes close codes between the client's and the driver's socket, including codes that `ws` refuses to send,
 * and because drivers have no `error` listener.
 */
export function containSockets(server: AppiumServer, { log, clock, peerOf }: ContainOptions): void {
  const lines = refusalLines(log, clock);
  const contained = new WeakSet<SocketServer>();
  const contain = (sockets: SocketServer): void => {
    if (contained.has(sockets)) return;
    contained.add(sockets);
    containServer(sockets, (req, error) => {
      const fields = { cause: printable(String(error)) };
      lines.write(peerOf(req), 'A WebSocket was closed because its listener failed', fields);
    });
  };
  for (const sockets of Object.values(server.webSocketsMapping ?? {})) contain(sockets);
  const register = server.addWebSocketHandler.bind(server);
  server.addWebSocketHandler = async (path, sockets) => {
    contain(sockets);
    await register(path, sockets);
  };
}

function containServer(sockets: SocketServer, report: (req: IncomingMessage, error: unknown) => void): void {
  const upgrade = sockets.handleUpgrade.bind(sockets);
  const emit = sockets.emit.bind(sockets);
  sockets.handleUpgrade = (req, socket, head, done) =>
    upgrade(req, socket, head, (opened: AppiumSocket) => {
      const fail: Fail = (error) => {
        report(req, error);
        opened.terminate();
      };
      containSocket(opened, fail);
      // Appium emits `connection` while `done` runs. Replace `emit` for that time, so that an exception of a
      // `connection` listener ends only this socket.
      sockets.emit = (event, ...args) =>
        event === 'connection' ? emitTo(sockets, event, args, fail) : emit(event, ...args);
      attempt(() => done(opened), fail);
      sockets.emit = emit;
    });
}

function containSocket(socket: AppiumSocket, fail: Fail): void {
  const close = socket.close.bind(socket);
  socket.close = (code, reason) => {
    const sent = sendableCode(code, SERVER_FAILED);
    if (sent === undefined || reason === undefined) close(sent);
    else close(sent, shortened(reason));
  };
  socket.emit = (event, ...args) => {
    // Appium passes the close code on to `close` of the driver's socket, which throws for codes that must not be sent,
    // such as 1006.
    if (event === 'close') args[0] = sendableCode(args[0], GOING_AWAY);
    return emitTo(socket, event, args, fail);
  };
}

/**
 * Calls the listeners as Node's `emit` does, but never throws. An exception or rejection of a listener is passed to
 * `fail`. So is an `error` event without a listener, for which Node would throw.
 */
function emitTo(emitter: EventEmitter, event: string | symbol, args: unknown[], fail: Fail): boolean {
  const listeners = emitter.rawListeners(event);
  for (const listener of listeners) attempt(() => listener.apply(emitter, args), fail);
  if (event === 'error' && listeners.length === 0) fail(args[0]);
  return listeners.length > 0;
}

function attempt(work: () => unknown, fail: Fail): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** WebSocket close codes (RFC 6455, 7.4.1) that `sendableCode` uses. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const RESERVED = 1004;
const NO_CODE_RECEIVED = 1005;
const CLOSED_WITHOUT_FRAME = 1006;
const SERVER_FAILED = 1011;
const LAST_DEFINED = 1014;
const NEVER_SENT: ReadonlySet<unknown> = new Set([RESERVED, NO_CODE_RECEIVED, CLOSED_WITHOUT_FRAME]);

/**
 * Replaces close codes that must not be sent in a close frame.
 * @returns the code if a close frame may carry it, 1000 if the received close frame had no code, undefined if `code` is
 * undefined (a close frame without a code), and `instead` otherwise
 */
function sendableCode(code: unknown, instead: number): number | undefined {
  if (code === undefined) return undefined;
  if (code === NO_CODE_RECEIVED) return NORMAL;
  if (typeof code !== 'number' || !Number.isInteger(code) || NEVER_SENT.has(code)) return instead;
  const isDefined = code >= NORMAL && code <= LAST_DEFINED;
  return isDefined || (code >= 3000 && code <= 4999) ? code : instead;
}

/** Maximum length of the reason in a close frame, in bytes. */
const LONGEST_REASON = 123;

function shortened(reason: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(reason as string);
  if (bytes.length <= LONGEST_REASON) return bytes;
  // Moves the end back to the beginning of a character, because the reason in a close frame must be valid UTF-8.
  let end = LONGEST_REASON;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
