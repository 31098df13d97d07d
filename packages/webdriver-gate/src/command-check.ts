import type { IncomingMessage } from 'node:http';
import { basicOf, bearerOf, type Caller, type CommandCallers, Refusal } from '@svc/auth-core';
import { type DriverSessions, refusalToDrive } from '@svc/device-lab';
import { type BoundedLines, CHECK_SECONDS, LatencyHistogram } from '@svc/module';
import type { FromHub } from './nodes/from-hub.ts';
import { type CommandRefusal, describeCommand, type ReportRefusal } from './refusals.ts';
import type { GateOrigin } from './request-origin.ts';

/**
 * Result of a check. The command is forwarded if the result is its caller, or `hub` if it came from the hub of this
 * node. If `refused`, the client gets the response for an unknown session. If `unverified`, the check could not run, so
 * the command is not forwarded.
 */
export type Verdict = Caller | 'hub' | 'refused' | 'unverified';

interface CommandCheckOptions {
  readonly callers: CommandCallers;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly report: ReportRefusal;
  /** Verifies commands from the hub of this node; null or absent if this server is not a node. */
  readonly fromHub?: FromHub | null;
  /** Called for every request that passes the check, so it must be fast. */
  readonly used?: (sessionId: string, caller: Caller, from: GateOrigin) => void;
  readonly failures: Pick<BoundedLines, 'write'>;
}

/** Why a command was refused, and who sent it. */
type Refused = Pick<CommandRefusal, 'caller' | 'isKnown' | 'reason'>;

const NO_CREDENTIALS: Refused = { caller: 'no credentials', isKnown: false, reason: 'no credentials' };

function invalid(reason: string): Refused {
  return { caller: 'invalid credentials', isKnown: false, reason };
}

/** One in this many checks is timed, because reading the clock costs as much as the check itself. */
const TIMED_ONE_IN = 128;

/**
 * Counts checks by their result. The fields are plain numbers, because each check increments two of them and must be
 * fast.
 */
export class CheckCounts {
  checks = 0;
  allowed = 0;
  hub = 0;
  noCredentials = 0;
  invalidCredentials = 0;
  notAllowed = 0;
  unverified = 0;
  /**
   * Durations, in seconds, of checks that returned without a promise, usually because the credentials were cached. Only
   * one in 128 of these checks is timed.
   */
  readonly warm = new LatencyHistogram(CHECK_SECONDS);
  /**
   * Durations, in seconds, of checks that returned a promise, for example because this server had to send the
   * credentials to another server.
   */
  readonly cold = new LatencyHistogram(CHECK_SECONDS);
}

/**
 * Decides whether the sender of a request may send commands to a session (specification 5.7). Returns without a promise
 * if the credentials are cached.
 */
export class CommandCheck {
  readonly counts = new CheckCounts();
  readonly #callers: CommandCallers;
  readonly #sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly #report: ReportRefusal;
  readonly #fromHub: FromHub | null;
  readonly #used: CommandCheckOptions['used'];
  readonly #failures: Pick<BoundedLines, 'write'>;

  constructor({ callers, sessions, report, fromHub, used, failures }: CommandCheckOptions) {
    this.#callers = callers;
    this.#sessions = sessions;
    this.#report = report;
    this.#fromHub = fromHub ?? null;
    this.#used = used;
    this.#failures = failures;
  }

  check(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin): Verdict | Promise<Verdict> {
    this.counts.checks += 1;
    return this.counts.checks % TIMED_ONE_IN === 0
      ? this.#timed(req, sessionId, from)
      : this.#check(req, sessionId, from);
  }

  #timed(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin): Verdict | Promise<Verdict> {
    const began = performance.now();
    const verdict = this.#check(req, sessionId, from);
    if (!(verdict instanceof Promise)) this.counts.warm.add((performance.now() - began) / 1000);
    return verdict;
  }

  #check(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin): Verdict | Promise<Verdict> {
    if (this.#fromHub !== null && sessionId !== undefined && this.#fromHub.has(sessionId))
      return this.#checkHub(this.#fromHub, req, sessionId, from);
    const { authorization } = req.headers;
    // Look for a second header first, because hardly any request has one, and this is faster than reading the first one.
    if (
      authorization !== undefined &&
      isDoubled(req, 'authorization') &&
      (bearerOf(authorization) !== undefined || basicOf(authorization) !== undefined)
    ) {
      return this.#refuse(req, sessionId, from, invalid('two Authorization headers'));
    }
    try {
      const caller = this.#callers.recall(req, from);
      if (caller === undefined) return this.#refuse(req, sessionId, from, NO_CREDENTIALS);
      if (!(caller instanceof Promise)) return this.#decide(req, sessionId, from, caller);
      const began = performance.now();
      return caller.then(
        (verified) => {
          this.counts.cold.add((performance.now() - began) / 1000);
          return this.#decide(req, sessionId, from, verified);
        },
        (error: unknown) => this.#failed(req, sessionId, from, error),
      );
    } catch (error) {
      return this.#failed(req, sessionId, from, error);
    }
  }

  #checkHub(
    fromHub: FromHub,
    req: IncomingMessage,
    sessionId: string,
    from: GateOrigin,
  ): Verdict | Promise<Verdict> {
    try {
      const checked = fromHub.checkCommand(req, sessionId);
      this.counts.hub += 1;
      if (checked === undefined) return 'hub';
      return checked.then(
        (): Verdict => 'hub',
        (error: unknown) => this.#failed(req, sessionId, from, error),
      );
    } catch (error) {
      return this.#failed(req, sessionId, from, error);
    }
  }

  /**
   * Authenticates the sender of a request that does not belong to one session.
   * @returns the caller, null if the request has no valid credential, or `unverified` if the check could not run
   */
  async callerOf(req: IncomingMessage, from: GateOrigin): Promise<Caller | null | 'unverified'> {
    if (isDoubled(req, 'authorization')) return null;
    try {
      return (await this.#callers.recall(req, from)) ?? null;
    } catch (error) {
      if (error instanceof Refusal) return null;
      this.#failures.write(from.sender, 'A caller could not be checked', {
        cause: String(error),
        request: from.requestId,
      });
      return 'unverified';
    }
  }

  #decide(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin, caller: Caller): Verdict {
    const owner = sessionId === undefined ? undefined : this.#sessions.ownerOf(sessionId);
    const reason = refusalToDrive(caller, owner);
    if (reason === null) {
      this.counts.allowed += 1;
      this.#used?.(sessionId as string, caller, from);
      return caller;
    }
    return this.#refuse(req, sessionId, from, { caller: caller.account.id, isKnown: true, reason });
  }

  #failed(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin, error: unknown): Verdict {
    if (error instanceof Refusal) return this.#refuse(req, sessionId, from, invalid(error.reason));
    this.counts.unverified += 1;
    this.#failures.write(from.sender, `Command could not be checked: ${describeCommand(req, sessionId)}`, {
      cause: String(error),
      request: from.requestId,
    });
    return 'unverified';
  }

  #refuse(req: IncomingMessage, sessionId: string | undefined, from: GateOrigin, refused: Refused): Verdict {
    if (refused.isKnown) this.counts.notAllowed += 1;
    else if (refused === NO_CREDENTIALS) this.counts.noCredentials += 1;
    else this.counts.invalidCredentials += 1;
    this.#report({ req, sessionId, from, ...refused });
    return 'refused';
  }
}

/**
 * @returns the key pair in the `Authorization: Basic` header of the request, as text that is not decoded yet. Undefined
 * if the request has two `Authorization` headers, because another server could read the other one.
 */
export function onlyBasicOf(req: IncomingMessage): string | undefined {
  const basic = basicOf(req.headers.authorization);
  return basic === undefined || isDoubled(req, 'authorization') ? undefined : basic;
}

/**
 * Returns whether the request has this header twice. Such a request is refused, because Node uses the first value and
 * the automation server might use the second one.
 */
export function isDoubled(req: IncomingMessage, name: string): boolean {
  const raw = req.rawHeaders;
  let seen = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const header = raw[index] as string;
    if (header.length === name.length && (header === name || header.toLowerCase() === name)) seen++;
  }
  return seen > 1;
}
