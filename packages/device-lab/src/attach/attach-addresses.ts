import {
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  isTokenSecret,
  type Log,
  newTokenSecret,
  type Random,
  Refusal,
  type Stores,
  secretHash,
} from '@svc/auth-core';
import { ATTACH_TOKEN_PREFIX, MAX_ATTACH_ADDRESSES } from '@svc/contract';
import type { ConnectionHandle, OpenConnections } from '@svc/module';
import type { DeviceLab } from '../device-lab.ts';
import { refusalToDrive } from '../visibility/drive-session.ts';
import { isListed } from '../visibility/list-sessions.ts';
import type { AttachAddress, AttachStore, AttachUse } from './attach-address.ts';
import { restoredCaller, storedCaller } from './stored-caller.ts';

export interface AttachTools {
  readonly store: AttachStore;
  readonly lab: Pick<DeviceLab, 'onEnd' | 'sessions'>;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly authDisabled: boolean;
}

/** An attach address that works now: its session, and its maker with the current rights. */
export interface Attached {
  readonly attachId: string;
  readonly sessionId: string;
  readonly caller: Caller;
  /** End of the address, so that what is open on it can be closed. */
  readonly ending: AttachEnding;
}

/** End of an attach address. Its listeners are called once, when the address ends. */
export class AttachEnding {
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  add(listener: () => void): void {
    this.#listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  end(): void {
    this.#isOver = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

interface Held {
  address: AttachAddress;
  readonly handle: ConnectionHandle;
  readonly ending: AttachEnding;
  /** Time of the last use that is stored, or 0 if none is. */
  storedUse: number;
}

const MINUTE_MS = 60_000;
/** The last use of an address is written at most once in this time (ms), so that a command needs no SQL. */
const STORE_USE_EVERY_MS = 10_000;
const LONGEST_AGENT = 200;

/**
 * The attach addresses of this server (contract 15.4). An address works until its minutes are over, its session ends,
 * its maker loses the right to the session, the credential with which it was made ends, or somebody ends it. Each use
 * checks these conditions first.
 */
export class AttachAddresses {
  readonly #tools: AttachTools;
  readonly #byHash = new Map<string, Held>();
  readonly #bySession = new Map<string, Set<Held>>();
  /** Ids of ended addresses that could not be removed from the database yet. */
  readonly #unremoved = new Set<string>();

  constructor(tools: AttachTools) {
    this.#tools = tools;
    tools.lab.onEnd(({ id }) => {
      for (const held of [...(this.#bySession.get(id) ?? [])])
        this.#endBestEffort(held, 'the session has ended');
    });
    for (const address of tools.store.all()) this.#resume(address);
  }

  /**
   * Makes an attach address for `minutes` minutes. It ends no later than the caller's credential. Only this result
   * contains the secret, because the store keeps only a hash of it.
   */
  create(caller: Caller, sessionId: string, minutes: number): { address: AttachAddress; secret: string } {
    const { store, stores, audit, clock, random } = this.#tools;
    const refusal = refusalToDrive(caller, this.#tools.lab.sessions.ownerOf(sessionId));
    if (refusal !== null) throw new Refusal('not_found', refusal);
    this.#endExpired();
    const count = this.#bySession.get(sessionId)?.size ?? 0;
    if (count >= MAX_ATTACH_ADDRESSES)
      throw new Refusal('too_many', 'attach addresses of the session', { limit: MAX_ATTACH_ADDRESSES });
    const secret = newTokenSecret(random, ATTACH_TOKEN_PREFIX);
    const createdAt = clock.now();
    const wanted = createdAt + minutes * MINUTE_MS;
    const address: AttachAddress = {
      id: random.uuid(),
      sessionId,
      hash: secretHash(secret),
      accountId: caller.account.id,
      maker: storedCaller(caller),
      createdAt,
      expiresAt: caller.grantsUntil === null ? wanted : Math.min(wanted, caller.grantsUntil),
      lastUse: null,
    };
    const reason = `attach address ${address.id} until ${new Date(address.expiresAt).toISOString()}`;
    stores.transaction((tx) => {
      store.insert(address);
      audit.record(tx, 'attach_created', { ...actorOf(caller), target: sessionId, reason });
    });
    this.#hold(address, caller);
    return { address, secret };
  }

  /** Returns the attach addresses of a session that work now, oldest first. */
  list(caller: Caller, sessionId: string): AttachAddress[] {
    this.checkSeen(caller, sessionId);
    this.#endExpired();
    return [...(this.#bySession.get(sessionId) ?? [])]
      .filter(({ handle }) => handle.current() !== null)
      .map(({ address }) => address);
  }

  byId(caller: Caller, sessionId: string, attachId: string): AttachAddress {
    const found = this.list(caller, sessionId).find(({ id }) => id === attachId);
    if (found === undefined) throw new Refusal('not_found', 'unknown attach address');
    return found;
  }

  end(caller: Caller, sessionId: string, attachId: string): void {
    this.checkSeen(caller, sessionId);
    const held = [...(this.#bySession.get(sessionId) ?? [])].find(({ address }) => address.id === attachId);
    if (held === undefined) throw new Refusal('not_found', 'unknown attach address');
    this.#end(held, 'ended by request', actorOf(caller));
  }

  /**
   * Throws `not_found` if the session is unknown or hidden from the caller, so that the response does not show which.
   */
  checkSeen(caller: Caller, sessionId: string): void {
    const session = this.#tools.lab.sessions.byId(sessionId);
    if (session === undefined) throw new Refusal('not_found', 'unknown session');
    if (!isListed(caller, session.ownerId)) throw new Refusal('not_found', 'session of someone else');
  }

  /**
   * @returns the session and the caller of the address with this secret, or undefined if no such address works now.
   * Runs for each command, so it does no slow work.
   */
  find(secret: string): Attached | undefined {
    if (!isTokenSecret(secret, ATTACH_TOKEN_PREFIX)) return undefined;
    const held = this.#byHash.get(secretHash(secret));
    if (held === undefined || held.address.expiresAt <= this.#tools.clock.now()) return undefined;
    const caller = held.handle.current();
    if (caller === null) return undefined;
    const { id: attachId, sessionId } = held.address;
    return { attachId, sessionId, caller, ending: held.ending };
  }

  /** Returns the session list that a client gets at an address: the address's session alone. */
  sessionsAt({ sessionId }: Attached): { id: string; created: number; capabilities: object }[] {
    const session = this.#tools.lab.sessions.byId(sessionId);
    if (session === undefined) return [];
    return [{ id: session.id, created: session.startedAt, capabilities: session.capabilities }];
  }

  /** Notes which client has used an address. */
  noteUse({ attachId, sessionId }: Attached, { address, userAgent }: Omit<AttachUse, 'at'>): void {
    for (const held of this.#bySession.get(sessionId) ?? []) {
      if (held.address.id !== attachId) continue;
      const agent = userAgent?.slice(0, LONGEST_AGENT) ?? null;
      const lastUse = { at: this.#tools.clock.now(), address, userAgent: agent };
      held.address = { ...held.address, lastUse };
    }
  }

  /** Ends expired addresses and stores the last uses. Called every second. */
  sweep(): void {
    this.#endExpired();
    const { store, clock } = this.#tools;
    for (const id of this.#unremoved) this.#bestEffort(id, () => store.remove(id));
    this.#storeUses(clock.now() - STORE_USE_EVERY_MS);
  }

  /** Stores the last uses that are not stored yet. Called before the server stops. */
  flush(): void {
    this.#storeUses(Number.POSITIVE_INFINITY);
  }

  /** Stores the last uses of the addresses whose stored use is not later than `until` (ms since 1970). */
  #storeUses(until: number): void {
    const { store, log } = this.#tools;
    for (const held of this.#byHash.values()) {
      const { id, lastUse } = held.address;
      if (lastUse === null || lastUse.at === held.storedUse || held.storedUse > until) continue;
      held.storedUse = lastUse.at;
      try {
        store.used(id, lastUse);
      } catch (error) {
        log.warn('The last use of an attach address could not be stored', { cause: String(error) });
      }
    }
  }

  /**
   * Continues an address that was stored before this server started. Addresses of sessions that ended with the server,
   * and addresses whose maker has lost the right meanwhile, are removed.
   */
  #resume(address: AttachAddress): void {
    const { stores, lab, clock, authDisabled } = this.#tools;
    const account = stores.accounts.byId(address.accountId);
    const isRunning = lab.sessions.ownerOf(address.sessionId) !== undefined;
    const caller = account === undefined ? null : restoredCaller(account, address.maker, { authDisabled });
    if (caller === null || !isRunning || address.expiresAt <= clock.now()) {
      this.#unremoved.add(address.id);
      return;
    }
    // Checks the credential and the right now, and ends the address if one of them is gone.
    this.#hold(address, caller).handle.current();
  }

  #hold(address: AttachAddress, caller: Caller): Held {
    const { connections, lab } = this.#tools;
    const ending = new AttachEnding();
    const handle = connections.add({
      caller,
      refusal: (now) => refusalToDrive(now, lab.sessions.ownerOf(address.sessionId)),
      close: ({ reason }) => this.#endBestEffort(held, reason),
    });
    const held: Held = { address, handle, ending, storedUse: address.lastUse?.at ?? 0 };
    this.#byHash.set(address.hash, held);
    const ofSession = this.#bySession.get(address.sessionId) ?? new Set();
    this.#bySession.set(address.sessionId, ofSession.add(held));
    return held;
  }

  #endExpired(): void {
    const now = this.#tools.clock.now();
    for (const held of [...this.#byHash.values()])
      if (held.address.expiresAt <= now) this.#endBestEffort(held, 'its minutes are over');
  }

  #endBestEffort(held: Held, reason: string): void {
    this.#bestEffort(held.address.id, () => this.#end(held, reason, {}));
  }

  #bestEffort(id: string, work: () => void): void {
    try {
      work();
      this.#unremoved.delete(id);
    } catch (error) {
      if (!this.#unremoved.has(id))
        this.#tools.log.warn('The end of an attach address could not be stored', {
          attach: id,
          cause: String(error),
        });
      this.#unremoved.add(id);
    }
  }

  /** Ends an address. It stops working even if the end cannot be stored; `sweep` then tries again to store it. */
  #end(held: Held, reason: string, who: Partial<ReturnType<typeof actorOf>>): void {
    const { id, hash, sessionId } = held.address;
    this.#byHash.delete(hash);
    const ofSession = this.#bySession.get(sessionId);
    ofSession?.delete(held);
    if (ofSession?.size === 0) this.#bySession.delete(sessionId);
    held.handle.forget();
    held.ending.end();
    const { store, stores, audit } = this.#tools;
    this.#unremoved.add(id);
    stores.transaction((tx) => {
      store.remove(id);
      const details = { ...who, target: sessionId, reason: `attach address ${id}: ${reason}` };
      audit.record(tx, 'attach_ended', details);
    });
    this.#unremoved.delete(id);
  }
}
