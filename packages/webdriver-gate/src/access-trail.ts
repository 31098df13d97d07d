import { type Audit, type Caller, credentialOf, origin, type RequestOrigin } from '@svc/auth-core';
import { printable } from './printable.ts';

export type AccessAudit = Pick<Audit, 'recordRefusal' | 'recordBestEffort'>;

/** A WebDriver request that was refused because of its caller. */
export interface RefusedAccess {
  readonly from: RequestOrigin;
  /** What was requested, in fixed words: refusals are counted by it. */
  readonly route: 'create' | 'command' | 'session socket' | 'driver route';
  /** Account id; null: a stranger. */
  readonly actor: string | null;
  readonly sessionId: string | null;
  readonly reason: string;
}

/** Whose a session is, and by which credential. */
export interface SessionOwnership {
  readonly ownerId: string | null;
  readonly caller: Caller | null;
}

/** Credentials of one session whose first command is remembered; beyond, further ones leave no row. */
const MOST_OF_SESSION = 1000;

/** Audit rows of WebDriver traffic: who used which session, and who was refused. */
export class AccessTrail {
  readonly #audit: AccessAudit;
  /** Credential ids by session. */
  readonly #seen = new Map<string, Set<string>>();

  constructor(audit: AccessAudit) {
    this.#audit = audit;
  }

  /** Costs two look-ups for all but the first command of a credential on a session. */
  used(sessionId: string, caller: Caller, from: RequestOrigin): void {
    const { credential } = caller;
    const id = credential.kind === 'none' ? '' : credential.id;
    const seen = this.#seen.get(sessionId);
    if (seen?.has(id)) return;
    if (seen === undefined) this.#seen.set(sessionId, new Set([id]));
    else if (seen.size >= MOST_OF_SESSION) return;
    else seen.add(id);
    this.#audit.recordBestEffort('session_first_command', {
      actor: caller.account.id,
      target: sessionId,
      reason: credentialOf(caller),
      ...origin(from),
    });
  }

  created(sessionId: string, { ownerId, caller }: SessionOwnership, from: RequestOrigin): void {
    this.#audit.recordBestEffort('session_created', {
      actor: ownerId,
      target: sessionId,
      reason: caller !== null ? credentialOf(caller) : ownerId === null ? 'no owner' : null,
      ...origin(from),
    });
  }

  /** A session that was allowed and did not start. */
  notCreated(actor: string | null, reason: string, from: RequestOrigin): void {
    this.#audit.recordRefusal('session_create_fail', {
      ...origin(from),
      actor,
      route: 'WebDriver create',
      reason,
    });
  }

  refused({ from, route, actor, sessionId, reason }: RefusedAccess): void {
    this.#audit.recordRefusal(actor === null ? 'authn_credential_fail' : 'authz_fail', {
      ...origin(from),
      actor,
      route: `WebDriver ${route}`,
      target: sessionId === null ? `WebDriver ${route}` : printable(sessionId),
      reason,
    });
  }

  /** `target`: the session's id, or what the socket is outside one. */
  socketClosed(target: string, caller: Caller, reason: string): void {
    this.#audit.recordBestEffort('session_socket_closed', {
      actor: caller.account.id,
      target,
      reason,
      ...origin(caller.from),
    });
  }

  forget(sessionId: string): void {
    this.#seen.delete(sessionId);
  }
}
