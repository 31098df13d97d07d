import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answers, UNVERIFIED } from './answers.ts';
import type { CommandCheck, Verdict } from './command-check.ts';
import { type Behind, markPassed, ownIdempotencyKey, prepare } from './hand-on.ts';
import type { Target } from './target.ts';

interface CommandOptions {
  readonly check: CommandCheck;
  readonly answers: Answers;
  readonly behind: Behind;
}

type CommandTarget = Extract<Target, { kind: 'command' }>;

/** Commands of a session, each checked (specification 5.7.2 to 5.7.6). */
export class CommandGate {
  readonly #options: CommandOptions;

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse, target: CommandTarget): void {
    const verdict = this.#options.check.check(req, target.sessionId);
    if (verdict instanceof Promise) void verdict.then((settled) => this.#act(req, res, target, settled));
    else this.#act(req, res, target, verdict);
  }

  #act(req: IncomingMessage, res: ServerResponse, target: CommandTarget, verdict: Verdict): void {
    const { answers, behind } = this.#options;
    if (res.destroyed) return;
    if (verdict === 'refused') {
      answers.unknownSession(req, res);
    } else if (verdict === 'unverified') {
      answers.error(req, res, UNVERIFIED);
    } else {
      prepare(req, target.url);
      ownIdempotencyKey(req, verdict);
      markPassed(req, target);
      behind.request(req, res);
    }
  }
}
