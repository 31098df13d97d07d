import { type Caller, Refusal, type Stores } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import { visiblePhones } from '../allocate-device.ts';
import { readCredentials, stripCredentials } from '../capabilities/take-credentials.ts';
import type { Devices } from '../devices.ts';
import type { HeldLeases } from '../leases/held-leases.ts';
import { maySeeDevice } from '../visibility/see-device.ts';
import { UnusableCondition } from './device-object.ts';
import { type PhoneMatches, phoneMatches } from './mismatches.ts';
import { phoneViews } from './phone-view.ts';

interface Tools {
  readonly devices: Devices;
  readonly leases: Pick<HeldLeases, 'claimsOf'>;
  readonly stores: Pick<Stores, 'teams'>;
}

type Fields = Record<string, unknown>;

const MOST_VIEWS = 64;

/** Tells callers which phone a create-session request with certain capabilities would get (contract 14.4). */
export class PhonePreview {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Returns which of the phones that the caller sees fit the capabilities. Reserves nothing. Credentials in the
   * capabilities are removed and not checked. Capabilities that are not in the W3C form count as `alwaysMatch`.
   * @throws Refusal `invalid argument` if the form, a condition or the team cannot be used
   */
  match(caller: Caller, given: Fields): PhoneMatches {
    const { devices, leases, stores } = this.#tools;
    const capabilities = 'alwaysMatch' in given || 'firstMatch' in given ? given : { alwaysMatch: given };
    checkForm(capabilities);
    const { team } = readCredentials(capabilities).input;
    stripCredentials(capabilities);
    const found = team === null ? undefined : (stores.teams.byId(team) ?? stores.teams.byName(team));
    if (team !== null && (found === undefined || !maySeeDevice(caller, found.id)))
      throw invalid('svc:options.team is not one of your teams');
    const maySee = (teamId: string | null) => maySeeDevice(caller, teamId);
    const visible = visiblePhones(devices, { teamId: found?.id ?? null, maySee });
    const { id: holderId } = caller.account;
    const claimOn = leases.claimsOf(holderId, null);
    return phoneMatches(usableViews(capabilities), visible, { devices, claimOn, holderId });
  }
}

/** Refuses what no create can send, because an answer would say that phones fit capabilities that were not read. */
function checkForm({ alwaysMatch = {}, firstMatch = [] }: Fields): void {
  if (!isRecord(alwaysMatch)) throw invalid('alwaysMatch must be an object');
  if (!Array.isArray(firstMatch) || !firstMatch.every(isRecord))
    throw invalid('firstMatch must be an array of objects');
  if (firstMatch.length > MOST_VIEWS) throw invalid(`firstMatch has more than ${MOST_VIEWS} entries`);
}

function usableViews(capabilities: Fields): ReturnType<typeof phoneViews> {
  try {
    return phoneViews(capabilities);
  } catch (error) {
    if (error instanceof UnusableCondition) throw invalid(error.message);
    throw error;
  }
}

function invalid(message: string): Refusal {
  return new Refusal('invalid argument', message, { message });
}
