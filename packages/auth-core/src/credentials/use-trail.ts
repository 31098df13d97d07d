import { type Audit, origin } from '../audit.ts';
import type { Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';

const HOUR_MS = 60 * 60 * 1000;
/**
 * Maximum number of credentials in memory. When it is reached, the map is cleared, and the next use of each credential
 * is recorded again.
 */
const MOST_CREDENTIALS = 100_000;
/**
 * Maximum number of addresses recorded per credential and hour, so that a client that can choose its address does not
 * fill the audit trail.
 */
const MOST_ADDRESSES = 50;

/**
 * Records in the audit trail that a credential was used, once an hour for each address, so that the use of a stolen
 * credential is visible. A request costs one look-up in a map.
 */
export class UseTrail {
  readonly #audit: Pick<Audit, 'recordAfterwards'>;
  readonly #clock: Clock;
  /** Addresses from which each credential was used, by credential id, for the hour that ends at `#until`. */
  readonly #addresses = new Map<string, string[]>();
  #until = Number.NEGATIVE_INFINITY;

  constructor(audit: Pick<Audit, 'recordAfterwards'>, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * Records the use, unless a use of the same credential from the same address was already recorded in this hour.
   * @returns the time (ms since 1970) until which another use of the credential from this address needs no record
   */
  note({ credential, account, from }: Pick<Caller, 'credential' | 'account' | 'from'>): number {
    const addresses = this.#addressesOf(credential.id);
    const address = from.address ?? '';
    if (addresses.includes(address) || addresses.length >= MOST_ADDRESSES) return this.#until;
    addresses.push(address);
    this.#audit.recordAfterwards('authn_token_used', {
      actor: account.id,
      target: credential.id,
      reason: credential.kind,
      ...origin(from),
    });
    return this.#until;
  }

  #addressesOf(id: string): string[] {
    const now = this.#clock.now();
    if (now >= this.#until) {
      this.#addresses.clear();
      this.#until = now + HOUR_MS;
    }
    const known = this.#addresses.get(id);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MOST_CREDENTIALS) this.#addresses.clear();
    const none: string[] = [];
    this.#addresses.set(id, none);
    return none;
  }
}
