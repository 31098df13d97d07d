import type { Audit } from '../audit.ts';
import type { Clock, Stores } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { UseTrail } from './use-trail.ts';
import type { VerifiedCredential } from './verification.ts';

/** Last use of a key is right to the minute: it is only shown, and each one noted has to be written. */
const NOTE_KEY_EVERY_MS = 60_000;
/** A sign-in slides with its requests, right to the minute, or to a hundredth of a life that is short. */
const EXTEND_EVERY_MS = 60_000;

/** What noting a use did. */
export interface Use {
  /** The end of the sign-in was moved. */
  readonly extended: boolean;
  /** Until when (ms) another use of the same credential from the same address leaves nothing to note. */
  readonly until: number;
}

/** Notes that credentials are used: when, in their records, and from where, in the audit trail. */
export class Uses {
  readonly #stores: Pick<Stores, 'apiTokens' | 'signIns'>;
  readonly #trail: UseTrail;
  readonly #extendEveryMs: number;

  constructor(
    stores: Pick<Stores, 'apiTokens' | 'signIns'>,
    clock: Clock,
    audit: Audit,
    signInTtlMs: number,
  ) {
    this.#stores = stores;
    this.#trail = new UseTrail(audit, clock);
    this.#extendEveryMs = Math.min(EXTEND_EVERY_MS, signInTtlMs / 100);
  }

  note(
    { credential, expiresAt, usedAt }: VerifiedCredential,
    by: Pick<Caller, 'account' | 'from'>,
    now: number,
  ): Use {
    const seen = this.#trail.note({ credential, ...by });
    if (credential.kind !== 'key' && credential.kind !== 'sign-in') return { extended: false, until: seen };
    const every = credential.kind === 'key' ? NOTE_KEY_EVERY_MS : this.#extendEveryMs;
    const due = usedAt === null ? now : usedAt + every;
    if (now < due) return { extended: false, until: Math.min(seen, due) };
    if (credential.kind === 'key') this.#stores.apiTokens.touch(credential.id, now);
    else this.#stores.signIns.extend(credential.id, now, expiresAt ?? now);
    return { extended: credential.kind === 'sign-in', until: Math.min(seen, now + every) };
  }
}
