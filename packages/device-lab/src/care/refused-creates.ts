import type { Clock, Log } from '@svc/auth-core';
import type { OutOfService } from './out-of-service.ts';

interface Tools {
  readonly care: Pick<OutOfService, 'on' | 'putOut' | 'putBack'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Refused creates of one phone since one worked. */
interface Refusals {
  inRow: number;
  readonly accounts: Set<string>;
  /** How often the phone was put out of service for it. */
  outs: number;
  /** End of the last time out of service (ms since 1970). */
  until: number;
}

const MOST_IN_ROW = 3;
const FIRST_OUT_MS = 5 * 60_000;
const LONGEST_OUT_MS = 60 * 60_000;
/** Maximum number of accounts whose last refusal is remembered. */
const MOST_ACCOUNTS = 1_000;
const REASON = /^the driver refused \d+ creates in a row$/;

/**
 * Puts a phone out of service after three creates in a row that its driver refused: for 5 minutes, then doubling to an
 * hour while no create works (contract 17.2). After each time, one further refusal is enough.
 *
 * A create may also be refused because of what its client asks for, such as an app that does not exist. So that one
 * client cannot put the whole lab out of service, a refusal counts only for the first phone on which an account was
 * refused since a create of the account worked. While a phone is out of service for refusals of an account, those on
 * other phones do not count, so that creates that work in between do not help such a client.
 */
export class RefusedCreates {
  readonly #tools: Tools;
  readonly #refusals = new Map<string, Refusals>();
  /** By account ('' for creates without one), the phone on which it was first refused since a create of it worked. */
  readonly #suspects = new Map<string, string>();
  /** By account, the phone that its refusals put out of service last, and until when (ms since 1970). */
  readonly #outs = new Map<string, { readonly udid: string; readonly until: number }>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Called after the driver has refused a create. Never throws. */
  refused(udid: string, accountId: string | null): void {
    const { care, clock } = this.#tools;
    const now = clock.now();
    const account = accountId ?? '';
    if (!this.#isOfPhone(udid, account, now)) return;
    const isOut = care.on(udid) !== null;
    const before = this.#refusals.get(udid);
    // An Admin who put the phone back early may have repaired it, so counting begins again.
    const refusals =
      before === undefined || (!isOut && now < before.until)
        ? { inRow: 0, accounts: new Set<string>(), outs: 0, until: 0 }
        : before;
    this.#refusals.set(udid, refusals);
    refusals.inRow += 1;
    refusals.accounts.add(account);
    if (refusals.inRow < MOST_IN_ROW || isOut) return;
    const until = now + Math.min(FIRST_OUT_MS * 2 ** Math.min(refusals.outs, 10), LONGEST_OUT_MS);
    this.#change(() => {
      care.putOut(udid, `the driver refused ${refusals.inRow} creates in a row`, until);
      refusals.outs += 1;
      refusals.until = until;
      for (const each of refusals.accounts) limited(this.#outs, each, { udid, until });
    });
  }

  /** Called after a create has worked. Never throws. */
  worked(udid: string, accountId: string | null): void {
    this.#suspects.delete(accountId ?? '');
    this.#refusals.delete(udid);
    const { care } = this.#tools;
    const row = care.on(udid);
    if (row !== null && row.byId === null && REASON.test(row.reason))
      this.#change(() => care.putBack(udid, 'a create worked'));
  }

  #isOfPhone(udid: string, account: string, now: number): boolean {
    const out = this.#outs.get(account);
    if (out !== undefined && out.udid !== udid && now < out.until) return false;
    const suspect = this.#suspects.get(account);
    if (suspect !== undefined) return suspect === udid;
    limited(this.#suspects, account, udid);
    return true;
  }

  #change(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#tools.log.warn('The health of a phone could not be stored', { cause: String(error) });
    }
  }
}

/** Sets an entry, and removes the oldest one of a full map. */
function limited<T>(map: Map<string, T>, account: string, value: T): void {
  if (map.size >= MOST_ACCOUNTS && !map.has(account)) map.delete(map.keys().next().value ?? '');
  map.set(account, value);
}
