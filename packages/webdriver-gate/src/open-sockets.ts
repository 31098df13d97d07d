import type { Duplex } from 'node:stream';
import type { Caller, Log } from '@svc/auth-core';
import { type AttachEnding, type DriverSessions, refusalToDrive } from '@svc/device-lab';
import type { BoundedLines, ConnectionEnd, ConnectionHandle, OpenConnections } from '@svc/module';
import type { AccessTrail } from './access-trail.ts';
import { printable } from './printable.ts';
import { SocketPlaces } from './socket-places.ts';
import { closeWebSocket } from './upgrade-socket.ts';

export interface OpenSocketsOptions {
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly log: Log;
  /**
   * Audit trail for sockets that this server closes. Absent on a further entrance of a grid: a server without a
   * database, and therefore without an audit trail.
   */
  readonly trail?: Pick<AccessTrail, 'socketClosed'>;
  readonly warnings: Pick<BoundedLines, 'write'>;
}

/** The session of a socket, and the caller for whom the socket was opened. */
export interface AdmittedTo {
  readonly caller: Caller;
  readonly sessionId: string;
  /** End of the attach address to which the upgrade was sent. Absent for every other socket. */
  readonly until?: AttachEnding | undefined;
}

/** WebSocket close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/**
 * Tracks the open WebSockets whose upgrade was allowed. Limits their number per session and per account, and closes a
 * WebSocket when its caller loses the right to the session or when the session ends.
 */
export class OpenSockets {
  readonly #options: OpenSocketsOptions;
  readonly #places: SocketPlaces;
  readonly #bySession = new Map<string, Set<ConnectionHandle>>();

  constructor(options: OpenSocketsOptions) {
    this.#options = options;
    this.#places = new SocketPlaces(options.warnings);
  }

  /**
   * Marks the WebSockets of an ended session. The next check closes those that the automation server has not closed
   * itself.
   */
  sessionEnded(sessionId: string): void {
    for (const each of this.#bySession.get(sessionId) ?? []) each.expire();
  }

  /**
   * Adds a WebSocket of a session, whose sender was checked.
   * @returns null if the session or the account has too many open WebSockets. Otherwise returns a function that removes
   * the WebSocket. Call it if the upgrade does not succeed.
   */
  add(socket: Duplex, { caller, sessionId, until }: AdmittedTo): (() => void) | null {
    const { connections, sessions } = this.#options;
    const release = this.#places.take(socket, { sessionId, accountId: caller.account.id });
    if (release === null) return null;
    const close = closeWebSocket(socket);
    const handle = connections.add({
      caller,
      refusal: (now) => {
        const owner = sessions.ownerOf(sessionId);
        if (owner === undefined) return 'the session has ended';
        return until?.isOver === true ? 'the attach address has ended' : refusalToDrive(now, owner);
      },
      close: (end) => {
        remove();
        const [code, text] = this.#closing(end, sessionId);
        close(code, text);
        if (code !== GOING_AWAY) this.#report(end.reason, caller, sessionId);
      },
    });
    const addressEnded = (): void => {
      handle.expire();
      // The automation server closes the sockets of an ended session itself, so close only those of other sessions now.
      if (sessions.ownerOf(sessionId) !== undefined) handle.current();
    };
    const remove = (): void => {
      socket.off('close', forget);
      until?.remove(addressEnded);
      this.#remove(sessionId, handle);
    };
    const forget = (): void => {
      remove();
      handle.forget();
      release();
    };
    this.#put(sessionId, handle);
    socket.once('close', forget);
    until?.add(addressEnded);
    return forget;
  }

  /**
   * Adds a WebSocket of a session, whose sender this server does not check.
   * @returns the same as `add`
   */
  addUnchecked(socket: Duplex, sessionId: string): (() => void) | null {
    return this.#places.take(socket, { sessionId, accountId: null });
  }

  /**
   * Adds a WebSocket that a driver offers outside sessions. Any valid credential gives access to it, and it is closed
   * when the credential is no longer valid.
   * @returns the same as `add`
   */
  addOutside(socket: Duplex, caller: Caller): (() => void) | null {
    const { connections, log, trail } = this.#options;
    const release = this.#places.take(socket, { sessionId: null, accountId: caller.account.id });
    if (release === null) return null;
    const close = closeWebSocket(socket);
    const handle = connections.add({
      caller,
      refusal: () => null,
      close: ({ kind, reason }) => {
        socket.off('close', forget);
        if (kind === 'unverified') close(INTERNAL_ERROR, reason);
        else close(POLICY_VIOLATION, '');
        trail?.socketClosed('WebDriver driver route', caller, reason);
        log.warn(`Driver socket closed: ${reason}`, { caller: caller.account.id });
      },
    });
    const forget = (): void => {
      socket.off('close', forget);
      handle.forget();
      release();
    };
    socket.once('close', forget);
    return forget;
  }

  #closing({ kind, reason }: ConnectionEnd, sessionId: string): [code: number, text: string] {
    if (kind === 'unverified') return [INTERNAL_ERROR, reason];
    const isOver = this.#options.sessions.ownerOf(sessionId) === undefined;
    return isOver ? [GOING_AWAY, 'the session has ended'] : [POLICY_VIOLATION, ''];
  }

  #report(reason: string, caller: Caller, sessionId: string): void {
    this.#options.trail?.socketClosed(sessionId, caller, reason);
    const fields = { session: printable(sessionId), caller: caller.account.id };
    this.#options.log.warn(`Session socket closed: ${reason}`, fields);
  }

  #put(sessionId: string, handle: ConnectionHandle): void {
    const handles = this.#bySession.get(sessionId);
    if (handles === undefined) this.#bySession.set(sessionId, new Set([handle]));
    else handles.add(handle);
  }

  #remove(sessionId: string, handle: ConnectionHandle): void {
    const handles = this.#bySession.get(sessionId);
    handles?.delete(handle);
    if (handles?.size === 0) this.#bySession.delete(sessionId);
  }
}
