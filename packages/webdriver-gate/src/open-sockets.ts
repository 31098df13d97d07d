import type { Duplex } from 'node:stream';
import {
  type Authenticator,
  type Caller,
  type Clock,
  effectiveScopes,
  type Log,
  refusalToDrive,
  type Stores,
} from '@svc/auth-core';
import type { DeviceLab, DriverSessions } from '@svc/device-lab';
import type { AccessTrail } from './access-trail.ts';
import { printable } from './printable.ts';
import { closeWebSocket } from './upgrade-socket.ts';

export interface OpenSocketsOptions {
  readonly authenticator: Pick<Authenticator, 'stillGood'>;
  readonly stores: Pick<Stores, 'accounts' | 'version'>;
  readonly lab: Pick<DeviceLab, 'onEnd'> & { readonly sessions: Pick<DriverSessions, 'ownerOf'> };
  readonly clock: Clock;
  readonly log: Log;
  readonly trail: Pick<AccessTrail, 'socketClosed'>;
}

/** The caller a session socket was opened for. */
export interface AdmittedTo {
  readonly caller: Caller;
  readonly sessionId: string;
}

interface OpenSocket extends AdmittedTo {
  readonly socket: Duplex;
  /** When it was last found good (ms); opening it counts. */
  goodAt: number;
  /** The stores' version then; undefined: to be checked at the next look. */
  version: number | undefined;
  close(code: number, reason: string): void;
}

const LOOK_EVERY_MS = 1000;
/** Checked this often even if nothing has changed. A check that could not run is retried at each look. */
const CHECK_EVERY_MS = 14_000;
/** Contract 7: at most 30 s without a check that succeeded. */
const LONGEST_UNCHECKED_MS = 28_000;

/** WebSocket close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/**
 * The session sockets that were let in. Each is checked again as soon as the stores change, and in any case well
 * within 30 s (contract 7): it is closed when its credential, account or right to the session is gone, when its
 * session has ended, or when no check could run for that long.
 */
export class OpenSockets {
  readonly #options: OpenSocketsOptions;
  readonly #open = new Set<OpenSocket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenSocketsOptions) {
    this.#options = options;
    // The automation server closes its own sockets then; what is still open is closed at the next look.
    options.lab.onEnd(({ id }) => {
      for (const each of this.#open) if (each.sessionId === id) each.version = undefined;
    });
  }

  /** The answer forgets the socket again: the request turned out not to become a WebSocket. */
  add(socket: Duplex, admitted: AdmittedTo): () => void {
    const entry: OpenSocket = {
      ...admitted,
      socket,
      goodAt: this.#options.clock.now(),
      // A remembered credential may have ended before this.
      version: undefined,
      close: closeWebSocket(socket),
    };
    const forget = (): void => {
      socket.off('close', forget);
      this.#open.delete(entry);
      if (this.#open.size === 0) this.#timer = void clearInterval(this.#timer);
    };
    this.#open.add(entry);
    socket.once('close', forget);
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    return forget;
  }

  /** Looks at all of them: a few comparisons each while nothing has changed. */
  look(): void {
    const { stores, clock } = this.#options;
    const now = clock.now();
    let failure: unknown;
    for (const each of this.#open) {
      // One failure is enough: each further check could wait for the database again.
      if (failure === undefined) {
        try {
          const version = stores.version();
          if (isDue(each, version, now)) this.#check(each, version, now);
          continue;
        } catch (error) {
          failure = error;
          this.#options.log.error('Session sockets could not be checked', { cause: String(error) });
        }
      }
      if (isOverdue(each, now)) this.#close(each, INTERNAL_ERROR, 'access could not be verified');
    }
  }

  #check(entry: OpenSocket, version: number, now: number): void {
    const { lab } = this.#options;
    const owner = lab.sessions.ownerOf(entry.sessionId);
    if (owner === undefined) {
      this.#close(entry, GOING_AWAY, 'the session has ended');
      return;
    }
    const reason = this.#refusal(entry.caller, owner);
    if (reason !== null) {
      this.#close(entry, POLICY_VIOLATION, reason);
      return;
    }
    entry.goodAt = now;
    entry.version = version;
  }

  /** With the account as it is now, so that a demoted admin's scopes and override go with the role. */
  #refusal(caller: Caller, owner: string | null): string | null {
    const { authenticator, stores } = this.#options;
    const account = stores.accounts.byId(caller.account.id);
    if (account === undefined || !authenticator.stillGood(caller)) return 'the credential is no longer valid';
    const scopes = effectiveScopes(caller.scopes, account.role);
    return refusalToDrive({ ...caller, account, scopes }, owner);
  }

  #close(entry: OpenSocket, code: number, reason: string): void {
    this.#open.delete(entry);
    entry.close(code, code === POLICY_VIOLATION ? '' : reason);
    if (code === GOING_AWAY) return;
    const session = printable(entry.sessionId);
    this.#options.trail.socketClosed(entry.sessionId, entry.caller, reason);
    this.#options.log.warn(`Session socket closed: ${reason}`, { session, caller: entry.caller.account.id });
  }
}

function isDue({ version, goodAt, caller }: OpenSocket, current: number, now: number): boolean {
  if (version !== current || (caller.expiresAt !== null && now >= caller.expiresAt)) return true;
  // Before it: the clock was set back.
  return now < goodAt || now - goodAt >= CHECK_EVERY_MS;
}

function isOverdue({ goodAt }: OpenSocket, now: number): boolean {
  return now < goodAt || now - goodAt >= LONGEST_UNCHECKED_MS;
}
