import {
  type Audit,
  actorOf,
  type Caller,
  isListed,
  isOverrideAdmin,
  Refusal,
  type Stores,
} from '@svc/auth-core';
import type { LoggedCommand } from './command-log/entry.ts';
import type { DeviceLab } from './device-lab.ts';
import type { DriverSession, DriverSessionFilter } from './driver-session.ts';
import { type SessionView, sessionView } from './session-view.ts';

/** Which sessions are asked for. `owner`: id or e-mail of an account. */
export interface SessionQuery extends Omit<DriverSessionFilter, 'ownerId'> {
  readonly owner?: string | undefined;
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'commandLog' | 'endSession'>;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly audit: Audit;
}

/**
 * Driver sessions and their command log as callers see them: their own, an override admin everyone's, those without
 * owner included (contract 3.4). What is not seen is unknown.
 */
export class SessionDirectory {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Newest first. */
  list(caller: Caller, { owner, ...filter }: SessionQuery): SessionView[] {
    const wanted = owner === undefined ? undefined : this.#accountId(owner);
    const own = isOverrideAdmin(caller) ? wanted : caller.account.id;
    if (wanted !== own && wanted !== undefined) return [];
    return this.#tools.lab.sessions.list({ ...filter, ownerId: own }).map((session) => this.#viewOf(session));
  }

  /** Ids hold no `@`; the id of a deleted account still names its sessions. */
  #accountId(owner: string): string {
    if (!owner.includes('@')) return owner;
    return this.#tools.stores.accounts.byEmail(owner)?.id ?? owner;
  }

  byId(caller: Caller, id: string): SessionView {
    return this.#viewOf(this.#seen(caller, id));
  }

  /** At most `limit` rows behind the one numbered `after`. */
  commands(caller: Caller, id: string, { after, limit }: { after: number; limit: number }): LoggedCommand[] {
    return this.#tools.lab.commandLog.read(this.#seen(caller, id).id, after, limit);
  }

  /** Who sees a session may end it; one that is over already stays as it is. */
  async end(caller: Caller, id: string): Promise<void> {
    const { lab, stores, audit } = this.#tools;
    const session = this.#seen(caller, id);
    if (session.endedAt !== null) return;
    const isOwner = session.ownerId === caller.account.id;
    await lab.endSession(id, { category: null, reason: isOwner ? null : 'ended by an administrator' });
    stores.transaction((tx) =>
      audit.record(tx, 'session_ended', { ...actorOf(caller), target: id, reason: 'over the API' }),
    );
  }

  /** Throws `not_found` for a session that is hidden from the caller as for one nobody knows. */
  #seen(caller: Caller, id: string): DriverSession {
    const session = this.#tools.lab.sessions.byId(id);
    if (session === undefined) throw new Refusal('not_found', 'unknown session');
    if (!isListed(caller, session.ownerId)) throw new Refusal('not_found', 'session of someone else');
    return session;
  }

  #viewOf(session: DriverSession): SessionView {
    return sessionView(this.#tools.stores, session);
  }
}
