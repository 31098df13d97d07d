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

/** Selects sessions. `owner` is the id or e-mail of an account. */
export interface SessionQuery extends Omit<DriverSessionFilter, 'ownerId'> {
  readonly owner?: string | undefined;
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'commandLog' | 'endSession'>;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly audit: Audit;
}

/**
 * Driver sessions and their command logs, as far as a caller may see them: their own, and for an override admin those
 * of everyone and those without owner (contract 3.4). All others are reported as unknown.
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

  /** Ids contain no `@`. The id of a deleted account still selects its sessions. */
  #accountId(owner: string): string {
    if (!owner.includes('@')) return owner;
    return this.#tools.stores.accounts.byEmail(owner)?.id ?? owner;
  }

  byId(caller: Caller, id: string): SessionView {
    return this.#viewOf(this.#seen(caller, id));
  }

  /** @returns at most `limit` commands after the one with the number `after` */
  commands(caller: Caller, id: string, { after, limit }: { after: number; limit: number }): LoggedCommand[] {
    return this.#tools.lab.commandLog.read(this.#seen(caller, id).id, after, limit);
  }

  /** Anyone who can see a session may end it. Ending a finished session has no effect. */
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

  /** Throws `not_found` for an unknown session and for one that is hidden from the caller. */
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
