import { type Audit, actorOf, type Caller, isOverrideAdmin, Refusal, type Stores } from '@svc/auth-core';
import { instantOf } from '@svc/module';
import type { LoggedCommand } from './command-log/entry.ts';
import type { DeviceLab } from './device-lab.ts';
import type { DriverSession, DriverSessionFilter } from './driver-session.ts';
import { type SessionView, sessionView } from './session-view.ts';
import { isListed } from './visibility/list-sessions.ts';

/** Selects sessions. `owner` is the id or the e-mail address of an account; `from` and `to` are times in ISO 8601. */
export interface SessionQuery extends Omit<DriverSessionFilter, 'ownerId' | 'from' | 'to'> {
  readonly owner?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'commandLog' | 'endSession'>;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly audit: Audit;
}

/**
 * Gives callers access to sessions and their command logs. A caller sees their own sessions. An override admin (an
 * Admin who may use the sessions of others) also sees all other sessions, including those without owner (contract 3.4).
 * For sessions that a caller may not see, the methods behave as if these did not exist.
 */
export class SessionDirectory {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Reads the sessions that the caller may see and that match, in the wanted order, when they are requested. An undefined item
   * marks a step after which other requests may run.
   */
  *read(caller: Caller, { owner, from, to, ...filter }: SessionQuery): Iterable<SessionView | undefined> {
    const times = {
      from: from === undefined ? undefined : instantOf('from', from),
      to: to === undefined ? undefined : instantOf('to', to),
    };
    const wanted = owner === undefined ? undefined : this.#accountId(owner);
    const own = isOverrideAdmin(caller) ? wanted : caller.account.id;
    if (wanted !== own && wanted !== undefined) return;
    for (const session of this.#tools.lab.sessions.read({ ...filter, ...times, ownerId: own }))
      yield session === undefined ? undefined : this.#viewOf(session);
  }

  /**
   * Returns the account id for an id or an e-mail address. A text without `@` is returned unchanged, because it is an
   * id. This also works for the id of a deleted account.
   */
  #accountId(owner: string): string {
    if (!owner.includes('@')) return owner;
    return this.#tools.stores.accounts.byEmail(owner)?.id ?? owner;
  }

  byId(caller: Caller, id: string): SessionView {
    return this.#viewOf(this.#seen(caller, id));
  }

  /** Returns why the caller may not see a session, or null if they may. */
  refusal(caller: Caller, id: string): string | null {
    try {
      this.#seen(caller, id);
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.reason;
      throw error;
    }
  }

  /**
   * Returns the commands of a session whose number is larger than `after`, oldest first and at most `limit`. They are
   * decoded one after the other; see `CommandLog.read`.
   */
  commands(
    caller: Caller,
    id: string,
    { after, limit }: { after: number; limit: number },
  ): Iterable<LoggedCommand> {
    return this.#tools.lab.commandLog.read(this.#seen(caller, id).id, after, limit);
  }

  /** @returns the number of the newest command of a session, or 0 if its log is empty */
  lastCommand(caller: Caller, id: string): number {
    return this.#tools.lab.commandLog.lastOf(this.#seen(caller, id).id);
  }

  /** Ends a session. Anyone who can see a session may end it. Ending a finished session has no effect. */
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

  /**
   * Returns a session that the caller may see. Throws `not_found` if the session is unknown or hidden from the caller.
   */
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
