import { type Audit, origin } from '../audit.ts';
import type { Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Credentials kept in mind; beyond, all are forgotten and noted again. */
const MOST_CREDENTIALS = 100_000;
/** A client that may claim its address could otherwise fill the trail. */
const MOST_ADDRESSES = 50;

/**
 * Notes in the audit trail that a credential was used, once an hour for each address it came from: a stolen one
 * shows by where it is used, and a request costs one look into a map.
 */
export class UseTrail {
  readonly #audit: Pick<Audit, 'recordAfterwards'>;
  readonly #clock: Clock;
  /** Addresses by credential id, of the hour that ends at `#until`. */
  readonly #addresses = new Map<string, string[]>();
  #until = Number.NEGATIVE_INFINITY;

  constructor(audit: Pick<Audit, 'recordAfterwards'>, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /** Answers until when the same credential from the same address has nothing more to note. */
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
