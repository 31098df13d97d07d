import type { IncomingMessage } from 'node:http';
import {
  type Caller,
  type Log,
  presentedByCommand,
  presentsNothing,
  Refusal,
  type RememberedCallers,
  refusalToDrive,
} from '@svc/auth-core';
import type { DriverSessions } from '@svc/device-lab';
import { describeCommand, type ReportRefusal } from './refusals.ts';

/** `refused`: answered like an unknown session. `unverified`: the check could not run; never let through. */
export type Verdict = Caller | 'refused' | 'unverified';

interface CommandCheckOptions {
  readonly callers: RememberedCallers;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly report: ReportRefusal;
  readonly log: Log;
}

/** Whether the sender of a request may drive a session (specification 5.7). Nothing is awaited when warm. */
export class CommandCheck {
  readonly #callers: RememberedCallers;
  readonly #sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly #report: ReportRefusal;
  readonly #log: Log;

  constructor({ callers, sessions, report, log }: CommandCheckOptions) {
    this.#callers = callers;
    this.#sessions = sessions;
    this.#report = report;
    this.#log = log;
  }

  check(req: IncomingMessage, sessionId: string | undefined): Verdict | Promise<Verdict> {
    const presented = presentedByCommand(req.headers);
    if (presentsNothing(presented)) return this.#refuse(req, sessionId, 'no credentials', 'no credentials');
    if (presented.bearer !== undefined && isDoubled(req, 'authorization')) {
      return this.#refuse(req, sessionId, 'invalid credentials', 'two Authorization headers');
    }
    try {
      const caller = this.#callers.recall(presented, req.socket);
      if (!(caller instanceof Promise)) return this.#decide(req, sessionId, caller);
      return caller.then(
        (verified) => this.#decide(req, sessionId, verified),
        (error: unknown) => this.#failed(req, sessionId, error),
      );
    } catch (error) {
      return this.#failed(req, sessionId, error);
    }
  }

  /** The caller of a request that is about no single session; null: none or not a valid one. */
  async callerOf(req: IncomingMessage): Promise<Caller | null | 'unverified'> {
    const presented = presentedByCommand(req.headers);
    if (presentsNothing(presented) || isDoubled(req, 'authorization')) return null;
    try {
      return await this.#callers.recall(presented);
    } catch (error) {
      if (error instanceof Refusal) return null;
      this.#log.error('A session list could not be checked', { cause: String(error) });
      return 'unverified';
    }
  }

  #decide(req: IncomingMessage, sessionId: string | undefined, caller: Caller): Verdict {
    const owner = sessionId === undefined ? undefined : this.#sessions.ownerOf(sessionId);
    const reason = refusalToDrive(caller, owner);
    return reason === null ? caller : this.#refuse(req, sessionId, caller.account.id, reason);
  }

  #failed(req: IncomingMessage, sessionId: string | undefined, error: unknown): Verdict {
    if (error instanceof Refusal) return this.#refuse(req, sessionId, 'invalid credentials', error.reason);
    this.#log.error(`Command could not be checked: ${describeCommand(req, sessionId)}`, {
      cause: String(error),
    });
    return 'unverified';
  }

  #refuse(req: IncomingMessage, sessionId: string | undefined, caller: string, reason: string): Verdict {
    const isKnown = caller !== 'no credentials' && caller !== 'invalid credentials';
    this.#report({ req, sessionId, caller, isKnown, reason });
    return 'refused';
  }
}

/** Node keeps the first of two such headers and drops the other; whoever is behind us may do otherwise. */
function isDoubled(req: IncomingMessage, name: string): boolean {
  const raw = req.rawHeaders;
  let seen = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const header = raw[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) seen++;
  }
  return seen > 1;
}
