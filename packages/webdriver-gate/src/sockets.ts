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
  /** Whether commands of a session are checked. */
  readonly isChecked: (sessionId: string) => boolean;
  /** Null unless they are checked for the report only. */
  readonly report: CommandReport | null;
  /** Null if this server is no node. */
  readonly fromHub: Pick<FromHub, 'recognize'> | null;
  readonly sessions: Pick<DriverSessions, 'findIgnoringCase' | 'ownerOf'>;
  readonly targets: Targets;
  readonly originOf: OriginOf;
  /** Nothing behind the gate reads the upgrade of a session's socket as an ordinary request. */
  readonly socketsOnly: boolean;
}

type SessionTarget = Extract<SocketTarget, { kind: 'session' }>;

/** What becomes of an upgrade. `status`: refused, bare, and the connection is closed (specification 5.7.7). */
export type SocketDecision =
  | { readonly kind: 'site'; readonly url: string }
  /** `caller`: whoever was checked here, or null. */
  | {
      readonly kind: 'pass';
      readonly url: string;
      readonly sessionId: string;
      readonly caller: Caller | null;
    }
  /**
   * A session's socket that is not checked, or none of a session (`sessionId` is null then). The automation server may
   * still read it as an ordinary request.
   */
  | { readonly kind: 'not ours'; readonly url: string; readonly sessionId: string | null }
  | { readonly kind: 'refuse'; readonly status: UpgradeRefusal };

/** WebSocket upgrades, checked like commands whichever way Node delivers them. */
export class SocketGate {
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  decide(req: IncomingMessage): SocketDecision | Promise<SocketDecision> {
    const looking = this.#options.report?.socket(req);
    return looking === undefined ? this.#decide(req) : looking.then(() => this.#decide(req));
  }

  #decide(req: IncomingMessage): SocketDecision | Promise<SocketDecision> {
    const target = this.#options.targets.classifySocket(req.url ?? '');
    switch (target.kind) {
      case 'refused':
      // No socket opens at a callback address.
      case 'callback':
        return { kind: 'refuse', status: 404 };
      case 'site':
        return { kind: 'site', url: target.url };
      case 'other':
        return { kind: 'not ours', url: target.url, sessionId: null };
      case 'session':
        return this.#session(req, target);
    }
  }

  #session(req: IncomingMessage, target: SessionTarget): SocketDecision | Promise<SocketDecision> {
    const { check, isChecked, fromHub, sessions, originOf } = this.#options;
    const { sessionId, bidi } = target;
    // Appium matches log sockets in any letter case; a BiDi socket of an unknown id would crash it.
    const known = bidi ? sessionId : (sessions.findIgnoringCase(sessionId) ?? sessionId);
    if (!isChecked(known)) {
      fromHub?.recognize(req, known);
      return this.#unchecked(target, known);
    }
    const verdict = check.check(req, known, originOf(req));
    return verdict instanceof Promise
      ? verdict.then((settled) => decision(settled, target.url, known))
      : decision(verdict, target.url, known);
  }

  /** Also unchecked, Appium sees no BiDi socket of a session it does not know: a wrong frame on it ends Appium. */
  #unchecked({ bidi, url }: SessionTarget, sessionId: string): SocketDecision {
    const isUnknown = bidi && this.#options.sessions.ownerOf(sessionId) === undefined;
    if (isUnknown) return { kind: 'refuse', status: 404 };
    return this.#options.socketsOnly
      ? { kind: 'pass', url, sessionId, caller: null }
      : { kind: 'not ours', url, sessionId };
  }
}

function decision(verdict: Verdict, url: string, sessionId: string): SocketDecision {
  if (verdict === 'refused') return { kind: 'refuse', status: 404 };
  if (verdict === 'unverified') return { kind: 'refuse', status: 503 };
  // The hub checks the sender again while the socket is open, and closes its end.
  return { kind: 'pass', url, sessionId, caller: verdict === 'hub' ? null : verdict };
}
