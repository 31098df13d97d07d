import { type Audit, actorOf, type Caller, mayAccess, maySee, Refusal, type Stores } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { ShareLimits, ShareStore, ShareSubject } from './share-limits.ts';
import type { Shares, ShareUse } from './shares.ts';

/** The limits of a team or an account, and what it uses of them now. */
export interface ShareView extends ShareSubject {
  /** Name of the team, or e-mail of the account. */
  readonly name: string;
  readonly limits: ShareLimits;
  readonly used: ShareUse;
}

interface Tools {
  readonly shares: Shares;
  readonly store: ShareStore;
  readonly stores: Pick<Stores, 'accounts' | 'teams' | 'transaction'>;
  readonly audit: Audit;
  /** Tries the waiting requests again. */
  readonly wake: () => void;
}

/** Lists the limits of teams and accounts for a caller, and changes them for Admins. */
export class ShareDirectory {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Reads the limits that apply to the caller. Admins also get those of all teams, and of the accounts they see. Each
   * is read when it is requested.
   */
  *read(caller: Caller): Generator<ShareView, void, undefined> {
    const { shares } = this.#tools;
    for (const subject of shares.subjects()) {
      const name = this.#nameFor(caller, subject);
      const limits = shares.limitsOf(subject);
      if (name !== undefined && limits !== null)
        yield { ...subject, name, limits, used: shares.useOf(subject) };
    }
  }

  /** Throws `not_found` if there is no such team. */
  checkTeam(_caller: Caller, id: string): void {
    if (this.#tools.stores.teams.byId(id) === undefined) throw new Refusal('not_found', 'unknown team');
  }

  /** Throws `not_found` if there is no such account, and `role_exceeds_yours` if the caller may not change it. */
  checkAccount(caller: Caller, id: string): void {
    const account = this.#tools.stores.accounts.byId(id);
    if (account === undefined) throw new Refusal('not_found', 'unknown user');
    if (!maySee(caller, account)) throw new Refusal('role_exceeds_yours');
  }

  /** Replaces the limits of a team or an account. */
  set(caller: Caller, subject: ShareSubject, limits: ShareLimits): ShareLimits {
    const { shares, store, stores, audit, wake } = this.#tools;
    const { sessions, leases, minutes } = limits;
    const text = { sessions, leases, minutes };
    const reason = `limits of ${subject.kind}: ${JSON.stringify(text)}`;
    stores.transaction((tx) => {
      if (subject.kind === 'team') this.checkTeam(caller, subject.id);
      else this.checkAccount(caller, subject.id);
      store.save({ ...subject, limits });
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: subject.id, reason });
    });
    shares.changed(subject, limits);
    wake();
    return limits;
  }

  #nameFor(caller: Caller, { kind, id }: ShareSubject): string | undefined {
    const { stores } = this.#tools;
    const isAdmin = mayAccess(caller, ADMIN);
    if (kind === 'team') {
      const isOwn = caller.account.teams.some((team) => team.id === id);
      return isAdmin || isOwn ? stores.teams.byId(id)?.name : undefined;
    }
    const account = stores.accounts.byId(id);
    if (account === undefined) return undefined;
    return id === caller.account.id || (isAdmin && maySee(caller, account)) ? account.email : undefined;
  }
}
