import {
  type Authenticator,
  type Caller,
  isOverrideAdmin,
  pairOf,
  Refusal,
  type RequestOrigin,
  requirePairOfBasic,
  senderOf,
  type TeamStore,
} from '@svc/auth-core';
import { MAX_QUEUE_SECONDS } from '@svc/contract';
import {
  type Admission,
  maySeeDevice,
  type RecordingOptions,
  type SessionCredentials,
  type SessionOptions,
  type TakenCredentials,
} from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import { type Checked, CREATE_DENIALS, decideCreate } from './decide-create.ts';
import type { FromHub } from './nodes/from-hub.ts';
import { AccessDenied, invalidArgument, notCreated, WebDriverError } from './responses.ts';

export interface AdmissionOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'authenticateSessionToken'>;
  readonly teams: Pick<TeamStore, 'byId' | 'byName'>;
  readonly warnings: Pick<BoundedLines, 'write'>;
  readonly failures: Pick<BoundedLines, 'write'>;
  /** Whether a create-session request without valid credentials is refused (`SVC_REQUIRE_SESSION_TOKEN`). */
  readonly credentialsRequired: boolean;
  /**
   * Seconds for which a create-session request waits for a phone if the request does not state a time. If absent, such
   * a request does not wait.
   */
  readonly queueSeconds?: number;
  readonly authDisabled: boolean;
  /**
   * Verifies create-session requests from this node's hub. While sign-in is on, a node accepts create-session requests
   * only from its hub (contract 8.3). Null or absent if this server is not a node.
   */
  readonly fromHub?: FromHub | null;
}

/** Credentials in the headers of a create-session request. They are not verified yet. */
export interface CreateHeaders {
  /** Value of the hub token header. */
  readonly hubToken?: string | undefined;
  /** A result of `basicOf`. It counts only if the capabilities carry no credentials (contract 15.2). */
  readonly basic?: string | undefined;
}

/**
 * Value of `healingTiers` for a session whose client sends an invalid one, that is, not a list of numbers from 1 to 5
 * (specification 9.2, release 2.15).
 */
const USUAL_TIERS = [1, 2, 3];

/** Counts create-session requests by the gate's decision about them. */
export class AdmissionCounts {
  owned = 0;
  ownerless = 0;
  fromHub = 0;
  denied = 0;
  unverified = 0;
}

/** Checks the credentials of a create-session request and decides who owns the session. */
export class SessionAdmission {
  readonly counts = new AdmissionCounts();
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Admits a create-session request, or rejects with the `WebDriverError` to send.
   */
  async admit(taken: TakenCredentials, from: RequestOrigin, headers: CreateHeaders = {}): Promise<Admission> {
    try {
      const admission = await this.#admit(taken, from, headers);
      const { caller, fromHub } = admission;
      this.counts[fromHub !== undefined ? 'fromHub' : caller === null ? 'ownerless' : 'owned'] += 1;
      return admission;
    } catch (error) {
      this.counts[error instanceof WebDriverError && error.w3cStatus !== 503 ? 'denied' : 'unverified'] += 1;
      throw error;
    }
  }

  async #admit(
    { credentials, input }: TakenCredentials,
    from: RequestOrigin,
    { hubToken, basic }: CreateHeaders,
  ): Promise<Admission> {
    try {
      const { fromHub, authDisabled } = this.#options;
      const { requestId } = from;
      // While sign-in is on, a node accepts create-session requests only from its hub. While sign-in is off, it accepts
      // any, but still verifies a hub token if there is one.
      if (fromHub != null && (!authDisabled || hubToken !== undefined)) {
        const admission = await fromHub.admit(hubToken, this.#tiersOf(input, from));
        return { ...admission, requestId, recording: recordingOf(input) };
      }
      const caller = this.#options.authDisabled ? null : await this.#ownerOf(credentials, basic, from);
      const maySee = this.#options.authDisabled
        ? () => true
        : (teamId: string | null) => maySeeDevice(caller, teamId);
      return {
        caller,
        lacksCredentials: caller === null && !this.#options.authDisabled,
        teamId: this.#teamOf(input, caller, maySee),
        maySee,
        healingTiers: this.#tiersOf(input, from),
        lease: input.lease,
        recording: recordingOf(input),
        queueSeconds: this.#queueSecondsOf(input),
        keep: keepOf(input, caller),
        requestId,
      };
    } catch (error) {
      if (error instanceof WebDriverError) throw error;
      this.#options.failures.write(senderOf(from) ?? 'unknown', 'Session credentials could not be checked', {
        cause: String(error),
        request: from.requestId,
      });
      throw notCreated('the credentials could not be checked, try again', 503);
    }
  }

  /**
   * Returns the error for a create-session request whose caller lost the right to create sessions while the request
   * waited. It is the same error that a new request with these credentials would get.
   */
  lostRight(caller: Caller, reason: string, from: RequestOrigin): AccessDenied {
    const rejected = [`the right was lost while the request waited: ${reason}`];
    const isToken = caller.credential.kind === 'session-token';
    if (this.#options.credentialsRequired) {
      const message = isToken ? CREATE_DENIALS.tokenInvalid : CREATE_DENIALS.noneValid;
      return denied(message, rejected, null, from);
    }
    const message = isToken ? CREATE_DENIALS.tokenInvalid : CREATE_DENIALS.pairLacksScope;
    return new AccessDenied(message, rejected[0] ?? '', caller);
  }

  #queueSecondsOf({ queueSeconds }: SessionOptions): number {
    if (queueSeconds === 'unusable')
      throw invalidArgument(`svc:options.queueSeconds must be a whole number from 0 to ${MAX_QUEUE_SECONDS}`);
    return queueSeconds ?? this.#options.queueSeconds ?? 0;
  }

  async #ownerOf(
    { pair, sessionToken }: SessionCredentials,
    basic: string | undefined,
    from: RequestOrigin,
  ): Promise<Caller | null> {
    const { authenticator, credentialsRequired, warnings } = this.#options;
    const rejected: string[] = [];
    const checkedPair =
      pair === null && sessionToken === null && basic !== undefined
        ? await checked(
            basic,
            (given) => authenticator.authenticate(requirePairOfBasic(given), from),
            (reason) => rejected.push(`Authorization: ${reason}`),
          )
        : await checked(
            pair,
            (given) => authenticator.authenticate(pairOf(given), from),
            (reason) => rejected.push(`accessKey and token: ${reason}`),
          );
    const known = typeof checkedPair === 'object';
    const checkedToken = known
      ? 'absent'
      : await checked(
          sessionToken,
          (given) => authenticator.authenticateSessionToken(given, from),
          (reason) => rejected.push(`sessionToken: ${reason}`),
        );
    const decision = decideCreate({ credentialsRequired, pair: checkedPair, sessionToken: checkedToken });
    switch (decision.kind) {
      case 'owner':
        return decision.caller;
      case 'ownerless':
        if (rejected.length > 0)
          warnings.write(
            senderOf(from) ?? 'unknown',
            `Session credentials not accepted: ${rejected.join('; ')}`,
            {
              request: from.requestId,
            },
          );
        return null;
      case 'deny':
        throw denied(decision.message, rejected, known ? checkedPair : callerIn(checkedToken), from);
    }
  }

  #teamOf(
    { team }: SessionOptions,
    caller: Caller | null,
    maySee: (teamId: string) => boolean,
  ): string | null {
    if (team === null) return null;
    const found = this.#options.teams.byId(team) ?? this.#options.teams.byName(team);
    if (found !== undefined && maySee(found.id)) return found.id;
    const reason = found === undefined ? 'there is no such team' : 'the team is not one of the caller';
    throw new AccessDenied(CREATE_DENIALS.team, `svc:options.team: ${reason}`, caller);
  }

  #tiersOf({ healingTiers }: SessionOptions, from: RequestOrigin): readonly number[] | null {
    if (healingTiers !== 'unusable') return healingTiers;
    const line = 'svc:options.healingTiers is not a list of tiers 1 to 5; running tiers 1, 2, 3';
    this.#options.warnings.write(senderOf(from) ?? 'unknown', line, { request: from.requestId });
    return USUAL_TIERS;
  }
}

/** Other callers than override admins may ask for it without an effect, so that one set of capabilities fits all. */
function keepOf({ keep }: SessionOptions, caller: Caller | null): boolean {
  if (keep === 'unusable') throw invalidArgument('svc:options.keep: must be true or false');
  return keep && caller !== null && isOverrideAdmin(caller);
}

function recordingOf({ recording }: SessionOptions): RecordingOptions {
  if ('unusable' in recording) throw invalidArgument(recording.unusable);
  return recording;
}

/**
 * Checks one credential. Throws if the check could not run.
 *
 * @returns the caller, `absent` if no credential was given, or `invalid` (after calling `reject`) if the credential was
 * refused
 */
async function checked<T>(
  given: T | null,
  check: (given: T) => Caller | Promise<Caller>,
  reject: (reason: string) => void,
): Promise<Checked> {
  if (given === null) return 'absent';
  try {
    return await check(given);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reject(error.reason);
    return 'invalid';
  }
}

function callerIn(checkedToken: Checked): Caller | null {
  return typeof checkedToken === 'object' ? checkedToken : null;
}

/**
 * Returns the error for denied credentials. If `caller` is null, the error's message is `message` and two more facts:
 * whether credentials were sent, and the request id, with which an admin can look up the reason.
 */
function denied(
  message: string,
  rejected: readonly string[],
  caller: Caller | null,
  { requestId }: RequestOrigin,
): AccessDenied {
  if (caller !== null) return new AccessDenied(message, 'the credential lacks the sessions scope', caller);
  const [sent, reason] =
    rejected.length === 0
      ? ['None were sent.', 'no credentials']
      : ['Those sent were not accepted.', rejected.join('; ')];
  const asking = requestId === null ? '' : ` An admin can look this up as request ${requestId}.`;
  return new AccessDenied(`${message} ${sent}${asking}`, reason, null);
}
