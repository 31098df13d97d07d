import { LRUCache } from 'lru-cache';
import { type Audit, origin } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { Caller } from '../principal.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Credentials kept in mind; one that was forgotten is noted again. */
const MOST_CREDENTIALS = 10_000;
/** Whoever may name their own address could otherwise fill the trail. */
const MOST_ADDRESSES = 50;

interface Uses {
  /** When a new hour begins for this credential. */
  readonly until: number;
  readonly addresses: Set<string>;
}

/**
 * Notes in the audit trail that a key or a bearer token was used, once an hour for each address it came from: a
 * stolen one shows by where it is used, and a request costs a look into memory.
 */
export class UseTrail {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #uses = new LRUCache<string, Uses>({ max: MOST_CREDENTIALS });

  constructor(audit: Audit, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  note({ credential, account, from }: Caller): void {
    if (credential.kind !== 'key' && credential.kind !== 'bearer') return;
    const { addresses } = this.#usesOf(credential.id);
    const address = from.address ?? '';
    if (addresses.has(address) || addresses.size >= MOST_ADDRESSES) return;
    addresses.add(address);
    this.#audit.note('authn_token_used', {
      actor: account.id,
      target: credential.id,
      reason: credential.kind,
      ...origin(from),
    });
  }

  #usesOf(id: string): Uses {
    const now = this.#clock.now();
    const known = this.#uses.get(id);
    if (known !== undefined && now < known.until) return known;
    const fresh = { until: now + HOUR_MS, addresses: new Set<string>() };
    this.#uses.set(id, fresh);
    return fresh;
  }
}
