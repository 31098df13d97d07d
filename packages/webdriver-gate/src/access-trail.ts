import { type Audit, type Caller, credentialOf, origin, type RequestOrigin } from '@svc/auth-core';
import { printable } from './printable.ts';
import type { WrongPhoneTaken } from './responses.ts';

export type AccessAudit = Pick<Audit, 'recordRefusal' | 'recordBestEffort'>;

/** WebDriver request that was refused because its sender has no right to it. */
export interface RefusedAccess {
  readonly from: RequestOrigin;
  /** Kind of request. Only these fixed texts are allowed, because refusals are counted by kind. */
  readonly route: 'create' | 'command' | 'session socket' | 'driver route';
  /** Id of the sender's account, or null if the sender is unauthenticated. */
  readonly actor: string | null;
  readonly sessionId: string | null;
  readonly reason: string;
}

/**
 * The owner of a session and the caller who created it. `ownerId` is null if the session has no owner. `caller` is null
 * if the create-session request had no credentials.
 */
export interface SessionOwnership {
  readonly ownerId: string | null;
  readonly caller: Caller | null;
}

/**
 * Maximum number of credentials per session whose first command is written to the audit trail. Further credentials are
 * not written. Without this limit, the remembered ids of credentials could fill the memory.
 */
const MAX_CREDENTIALS_PER_SESSION = 1000;

/** Writes the audit rows of WebDriver traffic: which caller used which session, and which callers were refused. */
export class AccessTrail {
  readonly #audit: AccessAudit;
  /** Ids of the credentials that have used a session, by the id of the session. */
  readonly #seen = new Map<string, Set<string>>();

  constructor(audit: AccessAudit) {
    this.#audit = audit;
  }

  /**
   * Records the first command that is sent with a credential to a session. Can be called for every command, because a
   * later call for the same credential costs only two look-ups.
   */
  used(sessionId: string, caller: Caller, from: RequestOrigin): void {
    const { credential } = caller;
    this.#used(sessionId, credential.kind === 'none' ? '' : credential.id, caller, from);
  }

  /** Records the first command that is sent to a session through an attach address (contract 15.4). */
  usedAttached(sessionId: string, attachId: string, caller: Caller, from: RequestOrigin): void {
    this.#used(sessionId, `attach ${attachId}`, caller, from);
  }

  #used(sessionId: string, id: string, caller: Caller, from: RequestOrigin): void {
    const seen = this.#seen.get(sessionId);
    if (seen?.has(id)) return;
    if (seen === undefined) this.#seen.set(sessionId, new Set([id]));
    else if (seen.size >= MAX_CREDENTIALS_PER_SESSION) return;
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

  /** Records a create-session request that failed for a reason other than missing or denied rights. */
  notCreated(actor: string | null, reason: string, from: RequestOrigin): void {
    this.#audit.recordRefusal('session_create_fail', {
      ...origin(from),
      actor,
      route: 'WebDriver create',
      reason,
    });
  }

  /** Records that a driver took another phone than the reserved one (contract 14.2). */
  wrongPhone(actor: string | null, { reserved, taken }: WrongPhoneTaken, from: RequestOrigin): void {
    this.#audit.recordBestEffort('session_wrong_phone', {
      ...origin(from),
      actor,
      target: reserved,
      reason: `the driver took ${printable(taken)}`,
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

  /**
   * Records that the gate closed a socket. `target` is the id of the session, or a description of a socket outside
   * sessions.
   */
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
