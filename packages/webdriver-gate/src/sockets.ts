import type { IncomingMessage } from 'node:http';
import type { DriverSessions } from '@svc/device-lab';
import type { CommandCheck, Verdict } from './command-check.ts';
import type { AdmittedTo } from './open-sockets.ts';
import type { OriginOf } from './request-origin.ts';
import type { SocketTarget, Targets } from './target.ts';

interface SocketOptions {
  readonly check: CommandCheck;
  readonly sessions: Pick<DriverSessions, 'findIgnoringCase'>;
  readonly targets: Targets;
  readonly originOf: OriginOf;
}

/** What becomes of an upgrade. `status`: refused, bare, and the connection is closed (specification 5.7.7). */
export type SocketDecision =
  | { readonly kind: 'site'; readonly url: string }
  | { readonly kind: 'pass'; readonly url: string; readonly admitted: AdmittedTo }
  /** No socket of a session; the automation server may still read it as an ordinary request. */
  | { readonly kind: 'not ours'; readonly url: string }
  | { readonly kind: 'refuse'; readonly status: 404 | 503 };

/** WebSocket upgrades, checked like commands whichever way Node delivers them. */
export class SocketGate {
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  decide(req: IncomingMessage): SocketDecision | Promise<SocketDecision> {
    const target = this.#options.targets.classifySocket(req.url ?? '');
    switch (target.kind) {
      case 'refused':
        return { kind: 'refuse', status: 404 };
      case 'site':
        return { kind: 'site', url: target.url };
      case 'other':
        return { kind: 'not ours', url: target.url };
      case 'session':
        return this.#session(req, target);
    }
  }

  #session(
    req: IncomingMessage,
    target: Extract<SocketTarget, { kind: 'session' }>,
  ): SocketDecision | Promise<SocketDecision> {
    const { sessionId, bidi } = target;
    // Appium matches log sockets in any letter case; a BiDi socket of an unknown id would crash it.
    const known = bidi ? sessionId : (this.#options.sessions.findIgnoringCase(sessionId) ?? sessionId);
    const verdict = this.#options.check.check(req, known, this.#options.originOf(req));
    return verdict instanceof Promise
      ? verdict.then((settled) => decision(settled, target.url, known))
      : decision(verdict, target.url, known);
  }
}

function decision(verdict: Verdict, url: string, sessionId: string): SocketDecision {
  if (verdict === 'refused') return { kind: 'refuse', status: 404 };
  if (verdict === 'unverified') return { kind: 'refuse', status: 503 };
  return { kind: 'pass', url, admitted: { caller: verdict, sessionId } };
}
