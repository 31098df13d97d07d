import type { IncomingMessage } from 'node:http';
import type { Caller } from '@svc/auth-core';
import type { DriverSessions } from '@svc/device-lab';
import type { CommandCheck, Verdict } from './command-check.ts';
import type { FromHub } from './nodes/from-hub.ts';
import type { CommandReport } from './report.ts';
import type { OriginOf } from './request-origin.ts';
import type { SocketTarget, Targets } from './target.ts';
import type { UpgradeRefusal } from './upgrade-socket.ts';

interface SocketOptions {
  readonly check: CommandCheck;
  /** Returns whether the commands of a session are checked. */
  readonly isChecked: (sessionId: string) => boolean;
  /** Checks upgrades in report-only mode, in which no upgrade is refused; null in every other mode. */
  readonly commandReport: CommandReport | null;
  /** Recognizes connections from the hub of this node; null or absent if this server is not a node. */
  readonly fromHub?: Pick<FromHub, 'recognize'> | null;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  /** Returns the id under which the session of a socket is recorded. */
  readonly idOf: (target: SessionTarget) => string;
  readonly targets: Targets;
  readonly originOf: OriginOf;
  /**
   * Decision about a session socket that is not checked. With `undecided`, the automation server may still handle the
   * upgrade as an ordinary request.
   */
  readonly unchecked: 'pass' | 'undecided';
}

export type SessionTarget = Extract<SocketTarget, { kind: 'session' }>;

/**
 * Decision about an upgrade. A refused upgrade gets only a status, and its connection is closed (specification 5.7.7).
 */
export type SocketDecision =
  | { readonly kind: 'site'; readonly url: string }
  /** Session socket that is let through. `caller` is null if this server did not check the sender. */
  | {
      readonly kind: 'pass';
      readonly url: string;
      readonly sessionId: string;
      readonly caller: Caller | null;
    }
  /**
   * Session socket that is not checked, or a socket outside sessions (`sessionId` is then null). The automation server
   * may still handle the upgrade as an ordinary request.
   */
  | {
      readonly kind: 'undecided';
      readonly url: string;
      readonly sessionId: string | null;
      readonly caller: null;
    }
  | { readonly kind: 'refuse'; readonly status: UpgradeRefusal };

/** Checks WebSocket upgrades like commands, whether Node delivers them as events or as requests. */
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
      // Callback addresses have no sockets.
      case 'callback':
        return { kind: 'refuse', status: 404 };
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
   * Decides about a session socket that is not checked. Refuses a BiDi socket of an unknown session, because Appium
   * would crash if the client sent one malformed frame on it.
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
  // A socket from the hub has no caller here. While the socket is open, the hub checks the sender, and closes the
  // socket if the sender loses access.
  return { kind: 'pass', url, sessionId, caller: verdict === 'hub' ? null : verdict };
}
