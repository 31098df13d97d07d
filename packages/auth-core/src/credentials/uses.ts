import type { Audit } from '../audit.ts';
import type { Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import type { CredentialScheme } from './scheme.ts';
import { UseTrail } from './use-trail.ts';
import type { VerifiedCredential } from './verification.ts';

/** Result of recording the use of a credential. */
export interface Use {
  /** Whether the use extended the sign-in, so that the browser's cookie has to be renewed. */
  readonly extended: boolean;
  /** Time (ms since 1970) until which another use of the same credential from the same address needs no record. */
  readonly until: number;
}

/** Records the use of credentials: the time in the credential's database record, and the address in the audit trail. */
export class Uses {
  readonly #trail: UseTrail;

  constructor(clock: Clock, audit: Pick<Audit, 'recordAfterwards'>) {
    this.#trail = new UseTrail(audit, clock);
  }

  note(
    scheme: CredentialScheme,
    { credential, expiresAt, usedAt }: VerifiedCredential,
    by: Pick<Caller, 'account' | 'from'>,
    now: number,
  ): Use {
    const seen = scheme.tracksAddresses ? this.#trail.note({ credential, ...by }) : Number.POSITIVE_INFINITY;
    if (scheme.use === undefined) return { extended: false, until: seen };
    const { everyMs } = scheme.use;
    const due = usedAt === null ? now : usedAt + everyMs;
    if (now < due) return { extended: false, until: Math.min(seen, due) };
    scheme.use.note(credential.id, now, expiresAt);
    return { extended: scheme.use.extends, until: Math.min(seen, now + everyMs) };
  }
}
