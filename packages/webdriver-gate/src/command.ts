import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandCheck, Verdict } from './command-check.ts';
import type { Forwarding } from './forward.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import { type GateResponses, UNVERIFIED } from './responses.ts';
import type { Target } from './target.ts';

interface CommandOptions {
  readonly check: CommandCheck;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly originOf: OriginOf;
}

type CommandTarget = Extract<Target, { kind: 'command' | 'other' }>;

/** Checks each command of a session, and forwards or refuses it (specification 5.7.2 to 5.7.6). */
export class CommandGate {
  readonly #options: CommandOptions;

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse, target: CommandTarget): void {
    const { check, originOf } = this.#options;
    const from = originOf(req);
    const verdict = check.check(req, target.sessionId, from);
    if (verdict instanceof Promise)
      void verdict.then((settled) => this.#act(req, res, target, settled, from));
    else this.#act(req, res, target, verdict, from);
  }

  #act(
    req: IncomingMessage,
    res: ServerResponse,
    target: CommandTarget,
    verdict: Verdict,
    from: GateOrigin,
  ): void {
    const { responses, forwarding } = this.#options;
    if (res.destroyed) return;
    if (verdict === 'refused') {
      responses.unknownSession(req, res, from.requestId);
    } else if (verdict === 'unverified') {
      responses.error(req, res, UNVERIFIED, from.requestId);
    } else {
      forwarding.request(req, res, target, verdict);
    }
  }
}
