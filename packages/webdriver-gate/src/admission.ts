import {
  type Authenticator,
  type Caller,
  type Checked,
  CREATE_DENIALS,
  decideCreate,
  type Log,
  maySeeDevice,
  pairOf,
  Refusal,
  type RequestOrigin,
  type SessionCredentials,
  type SessionInput,
  type TakenCredentials,
  type TeamStore,
} from '@svc/auth-core';
import type { Admission } from '@svc/device-lab';
import { invalidArgument, notCreated, WebDriverError } from './responses.ts';

export interface AdmissionOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'authenticateSessionToken'>;
  readonly teams: Pick<TeamStore, 'byId' | 'byName'>;
  readonly log: Log;
  /** `SVC_REQUIRE_SESSION_TOKEN`. */
  readonly credentialsRequired: boolean;
  readonly authDisabled: boolean;
}

/** Runs when `healingTiers` is not a list of tiers (specification 9.2, 2.15). */
const USUAL_TIERS = [1, 2, 3];

/** Checks the credentials of a new session and decides whose it is. Rejects with the `WebDriverError` to answer. */
export class SessionAdmission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  async admit({ credentials, input }: TakenCredentials, from: RequestOrigin): Promise<Admission> {
    try {
      const caller = this.#options.authDisabled ? null : await this.#ownerOf(credentials, from);
      const maySee = this.#options.authDisabled
        ? () => true
        : (teamId: string | null) => maySeeDevice(caller, teamId);
      return {
        caller,
        lacksCredentials: caller === null && !this.#options.authDisabled,
        teamId: this.#teamOf(input, maySee),
        maySee,
        healingTiers: this.#tiersOf(input),
      };
    } catch (error) {
      if (error instanceof WebDriverError) throw error;
      this.#options.log.error('Session credentials could not be checked', { cause: String(error) });
      throw notCreated('the credentials could not be checked, try again', 503);
    }
  }

  async #ownerOf({ pair, sessionToken }: SessionCredentials, from: RequestOrigin): Promise<Caller | null> {
    const { authenticator, credentialsRequired } = this.#options;
    const checkedPair = await checked(pair, (given) => authenticator.authenticate(pairOf(given), from));
    const decision = decideCreate({
      credentialsRequired,
      pair: checkedPair,
      sessionToken:
        typeof checkedPair === 'object'
          ? 'absent'
          : await checked(sessionToken, (given) => authenticator.authenticateSessionToken(given, from)),
    });
    switch (decision.kind) {
      case 'owner':
        return decision.caller;
      case 'ownerless':
        return null;
      case 'deny':
        throw invalidArgument(decision.message);
    }
  }

  #teamOf({ team }: SessionInput, maySee: (teamId: string) => boolean): string | null {
    if (team === null) return null;
    const found = this.#options.teams.byId(team) ?? this.#options.teams.byName(team);
    if (found === undefined || !maySee(found.id)) throw invalidArgument(CREATE_DENIALS.team);
    return found.id;
  }

  #tiersOf({ healingTiers }: SessionInput): readonly number[] | null {
    if (healingTiers !== 'unusable') return healingTiers;
    this.#options.log.warn('svc:options.healingTiers is not a list of tiers 1 to 5; running tiers 1, 2, 3');
    return USUAL_TIERS;
  }
}

/** A failing credential is `invalid`; a check that could not run throws. */
async function checked<T>(given: T | null, check: (given: T) => Caller | Promise<Caller>): Promise<Checked> {
  if (given === null) return 'absent';
  try {
    return await check(given);
  } catch (error) {
    if (error instanceof Refusal) return 'invalid';
    throw error;
  }
}
