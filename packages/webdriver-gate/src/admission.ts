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
import {
  type Admission,
  maySeeDevice,
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
  /** A result of `basicOf`. Absent if the capabilities carry credentials, because it then does not count (contract 15.2). */
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
      const admission = await this.#admissionOf(taken, from, headers);
      const { caller, fromHub } = admission;
      this.counts[fromHub !== undefined ? 'fromHub' : caller === null ? 'ownerless' : 'owned'] += 1;
      return admission;
    } catch (error) {
      this.counts[error instanceof WebDriverError && error.w3cStatus !== 503 ? 'denied' : 'unverified'] += 1;
      if (error instanceof WebDriverError) throw error;
      this.#options.failures.write(senderOf(from) ?? 'unknown', 'Session credentials could not be checked', {
        cause: String(error),
        request: from.requestId,
      });
      throw notCreated('the credentials could not be checked, try again', 503);
    }
  }

  async #admissionOf(
    { credentials, input }: TakenCredentials,
    from: RequestOrigin,
    { hubToken, basic }: CreateHeaders,
  ): Promise<Admission> {
    const { fromHub, authDisabled, queueSeconds } = this.#options;
    const { lease, recording } = input;
    const { requestId } = from;
    // While sign-in is on, a node accepts create-session requests only from its hub. While sign-in is off, it accepts
    // any, but still verifies a hub token if there is one.
    if (fromHub != null && (!authDisabled || hubToken !== undefined)) {
      const admission = await fromHub.admit(hubToken, this.#tiersOf(input, from));
      if (input.unusable !== null) throw invalidArgument(input.unusable);
      return { ...admission, requestId, recording };
    }
    const caller = authDisabled ? null : await this.#ownerOf(credentials, basic, from);
    const maySee = (teamId: string | null) => authDisabled || maySeeDevice(caller, teamId);
    const teamId = input.team === null ? null : this.#teamOf(input.team, caller, maySee);
    const healingTiers = this.#tiersOf(input, from);
    if (input.unusable !== null) throw invalidArgument(input.unusable);
    return {
      caller,
      lacksCredentials: caller === null && !authDisabled,
      teamId,
      maySee,
      healingTiers,
      lease,
      recording,
      queueSeconds: input.queueSeconds ?? queueSeconds ?? 0,
      // Other callers than override admins may ask for it without an effect, so that one set of capabilities fits all.
      keep: input.keep && caller !== null && isOverrideAdmin(caller),
      requestId,
    };
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

  async #ownerOf(
    { pair, sessionToken }: SessionCredentials,
    basic: string | undefined,
    from: RequestOrigin,
  ): Promise<Caller | null> {
    const { authenticator, credentialsRequired } = this.#options;
    const rejected: string[] = [];
    let checkedPair: Checked = 'absent';
    let checkedToken: Checked = 'absent';
    if (pair !== null)
      checkedPair = await checked('accessKey and token', rejected, () =>
        authenticator.authenticate(pairOf(pair), from),
      );
    else if (basic !== undefined)
      checkedPair = await checked('Authorization', rejected, () =>
        authenticator.authenticate(requirePairOfBasic(basic), from),
      );
    if (typeof checkedPair !== 'object' && sessionToken !== null)
      checkedToken = await checked('sessionToken', rejected, () =>
        authenticator.authenticateSessionToken(sessionToken, from),
      );
    const decision = decideCreate({ credentialsRequired, pair: checkedPair, sessionToken: checkedToken });
    switch (decision.kind) {
      case 'owner':
        return decision.caller;
      case 'ownerless':
        if (rejected.length > 0) this.#warn(`Session credentials not accepted: ${rejected.join('; ')}`, from);
        return null;
      case 'deny':
        throw denied(decision.message, rejected, callerIn(checkedPair) ?? callerIn(checkedToken), from);
    }
  }

  #teamOf(team: string, caller: Caller | null, maySee: (teamId: string) => boolean): string {
    const found = this.#options.teams.byId(team) ?? this.#options.teams.byName(team);
    if (found !== undefined && maySee(found.id)) return found.id;
    const reason = found === undefined ? 'there is no such team' : 'the team is not one of the caller';
    throw new AccessDenied(CREATE_DENIALS.team, `svc:options.team: ${reason}`, caller);
  }

  #tiersOf({ healingTiers }: SessionOptions, from: RequestOrigin): readonly number[] | null {
    if (healingTiers !== 'unusable') return healingTiers;
    this.#warn('svc:options.healingTiers is not a list of tiers 1 to 5; running tiers 1, 2, 3', from);
    return USUAL_TIERS;
  }

  #warn(line: string, from: RequestOrigin): void {
    this.#options.warnings.write(senderOf(from) ?? 'unknown', line, { request: from.requestId });
  }
}

/**
 * Checks one credential. Throws if the check could not run.
 *
 * @returns the caller, or `invalid` if the credential was refused, after adding the reason to `rejected`
 */
async function checked(
  name: string,
  rejected: string[],
  check: () => Caller | Promise<Caller>,
): Promise<Checked> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    rejected.push(`${name}: ${error.reason}`);
    return 'invalid';
  }
}

function callerIn(credential: Checked): Caller | null {
  return typeof credential === 'object' ? credential : null;
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
