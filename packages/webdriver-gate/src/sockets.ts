import type { IncomingMessage } from 'node:http';
import type { Caller } from '@svc/auth-core';
import type { AttachEnding, DriverSessions } from '@svc/device-lab';
import type { CommandCheck, Verdict } from './command-check.ts';
import type { FromHub } from './nodes/from-hub.ts';
import type { CommandReport } from './report.ts';
import type { OriginOf } from './request-origin.ts';
import type { SocketTarget, Targets } from './target.ts';
import type { UpgradeRefusal } from './upgrade-socket.ts';

interface SocketOptions {
  readonly check: CommandCheck;
  /** Returns whether this server checks the commands of a session. */
  readonly isChecked: (sessionId: string) => boolean;
  /** Checks upgrades in report-only mode, in which no upgrade is refused; null in every other mode. */
  readonly commandReport: CommandReport | null;
  /**
   * Exempts connections of this node's hub from the limit of connections per address. Null or absent if this server is
   * not a node.
   */
  readonly fromHub?: Pick<FromHub, 'recognize'> | null;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  /** Decides about WebSockets below attach addresses. Absent if this server has none. */
  readonly attached?:
    | { socket(req: IncomingMessage, target: Extract<SocketTarget, { kind: 'attach' }>): SocketDecision }
    | undefined;
  /** Returns the id under which the session of this WebSocket is recorded. */
  readonly idOf: (target: SessionTarget) => string;
  readonly targets: Targets;
  readonly originOf: OriginOf;
  /**
   * What to do with a WebSocket of a session that this server does not check. `pass` forwards it as a WebSocket. With
   * `undecided`, the automation server may also handle the upgrade as an ordinary request.
   */
  readonly unchecked: 'pass' | 'undecided';
}

export type SessionTarget = Extract<SocketTarget, { kind: 'session' }>;

/**
 * Decision about a WebSocket upgrade. A refused upgrade gets only a status, and its connection is closed (specification
 * 5.7.7).
 */
export type SocketDecision =
  | { readonly kind: 'site'; readonly url: string }
  /** Accepted WebSocket of a session. `caller` is null if this server did not check the sender. */
  | {
      readonly kind: 'pass';
      readonly url: string;
      readonly sessionId: string;
      readonly caller: Caller | null;
      /** End of the attach address to which the upgrade was sent. Absent for every other socket. */
      readonly until?: AttachEnding;
    }
  /**
   * WebSocket of a session that is not checked, or WebSocket outside sessions, for which `sessionId` is null. The
   * automation server may also handle the upgrade as an ordinary request.
   */
  | {
      readonly kind: 'undecided';
      readonly url: string;
      readonly sessionId: string | null;
      readonly caller: null;
    }
  | RefusedUpgrade;

interface RefusedUpgrade {
  readonly kind: 'refuse';
  readonly status: UpgradeRefusal;
}

/** Checks WebSocket upgrades in the same way as commands. Node may deliver an upgrade as an event or as a request. */
export class SocketGate {
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  decide(req: IncomingMessage): SocketDecision | Promise<SocketDecision> {
    const reported = this.#options.commandReport?.socket(req);
    return reported === undefined ? this.#decide(req) : reported.then(() => this.#decide(req));
  }

  #decide(req: IncomingMessage): SocketDecision | Promise<SocketDecision> {
    const target = this.#options.targets.classifySocket(req.url ?? '');
    switch (target.kind) {
      case 'refused':
      // Callback addresses accept commands but no WebSockets.
      case 'callback':
        return { kind: 'refuse', status: 404 };
      case 'attach':
        return this.#options.attached?.socket(req, target) ?? { kind: 'refuse', status: 404 };
      case 'site':
        return { kind: 'site', url: target.url };
      case 'other':
        return { kind: 'undecided', url: target.url, sessionId: null, caller: null };
      case 'session':
        return this.#session(req, target);
    }
  }

  #session(req: IncomingMessage, target: SessionTarget): SocketDecision | Promise<SocketDecision> {
    const { check, isChecked, fromHub, idOf, originOf } = this.#options;
    const sessionId = idOf(target);
    if (!isChecked(sessionId)) {
      fromHub?.recognize(req, sessionId);
      return this.#unchecked(target, sessionId);
    }
    const verdict = check.check(req, sessionId, originOf(req));
    return verdict instanceof Promise
      ? verdict.then((settled) => decision(settled, target.url, sessionId))
      : decision(verdict, target.url, sessionId);
  }

  /**
   * Decides about a WebSocket of a session that is not checked. Refuses a BiDi WebSocket of an unknown session, because
   * Appium would crash if the client sent a malformed frame on it.
   */
  #unchecked({ bidi, url }: SessionTarget, sessionId: string): SocketDecision {
    const isUnknown = bidi && this.#options.sessions.ownerOf(sessionId) === undefined;
    if (isUnknown) return { kind: 'refuse', status: 404 };
    return { kind: this.#options.unchecked, url, sessionId, caller: null };
  }
}

function decision(verdict: Verdict, url: string, sessionId: string): SocketDecision {
  if (verdict === 'refused') return { kind: 'refuse', status: 404 };
  if (verdict === 'unverified') return { kind: 'refuse', status: 503 };
  // `caller` is null for a WebSocket from the hub. While it is open, the hub checks its sender, and closes it if the
  // sender loses access.
  return { kind: 'pass', url, sessionId, caller: verdict === 'hub' ? null : verdict };
}
