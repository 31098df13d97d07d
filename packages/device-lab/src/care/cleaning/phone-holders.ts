import type { Lease } from '../../leases/lease.ts';

/** Part of a lease that says who keeps a phone: the holder of a lease as `CleaningRow` names it. */
export type Lent = Pick<Lease, 'udid' | 'ownerId'>;

/** Who keeps a phone for longer than a session. */
export interface PhoneHolders {
  /** Returns the holder of a phone's lease, or undefined if it is not leased. */
  of(udid: string): string | undefined;
  /** Returns whether the holder keeps the phone, so that it is not cleaned yet. */
  keeps(udid: string, holderId: string): boolean;
  /** Adds a listener that is called after a phone was leased or a lease ended. The listener must not throw. */
  onChange(listener: (lent: Lent) => void): void;
}

/** The holders of the leases of this server. */
export function leaseHolders(leases: {
  on(udid: string): { readonly lease: Lease } | undefined;
  onChange(listener: (lease: Lease) => void): void;
}): PhoneHolders {
  const of = (udid: string) => leases.on(udid)?.lease.ownerId;
  return { of, keeps: (udid, holderId) => of(udid) === holderId, onChange: (tell) => leases.onChange(tell) };
}

const PREFIX = 'hub:';

/**
 * Names an account of the hub as the holder of a phone on a node, where an account of the same id may be someone else.
 * @returns null for the empty id, which stands for a session without an owner
 */
export function hubHolder(accountId: string): string | null {
  return accountId === '' ? null : `${PREFIX}${accountId}`;
}

/** @returns the account id at the hub, or null if the holder is not an account of the hub */
export function accountAtHub(holderId: string | null): string | null {
  return holderId?.startsWith(PREFIX) === true ? holderId.slice(PREFIX.length) : null;
}

/**
 * The leases that the hub of this node has given on this node's phones. A node learns of them from the hub's responses to
 * its reports and, because these may come late, from the token of each request that uses a phone.
 */
export class HubHolders implements PhoneHolders {
  readonly #holders = new Map<string, string>();
  readonly #listeners: ((lent: Lent) => void)[] = [];
  /** False until the hub has responded, so that a phone is not cleaned during a lease after a restart of this node. */
  #isTold = false;
  #version = 0;

  of(udid: string): string | undefined {
    return this.#holders.get(udid);
  }

  keeps(udid: string, holderId: string): boolean {
    const known = this.#holders.get(udid);
    if (known !== undefined || this.#isTold) return known === holderId;
    return accountAtHub(holderId) !== null;
  }

  onChange(listener: (lent: Lent) => void): void {
    this.#listeners.push(listener);
  }

  get hasLeases(): boolean {
    return this.#holders.size > 0;
  }

  /** Number that changes with each request of the hub that contained something new. */
  get version(): number {
    return this.#version;
  }

  /** Takes over what the hub's token for a request said about a phone: who leases it, or null if no one does. */
  learn(udid: string, holderId: string | null): void {
    if ((this.#holders.get(udid) ?? null) === holderId) return;
    this.#version += 1;
    this.#set(udid, holderId);
  }

  /**
   * Takes over all leases from a response of the hub.
   * @param version value of `version` when the report was sent. The response is ignored if a request has contained something
   * newer since.
   */
  take(leases: readonly Lent[], version: number): void {
    if (version !== this.#version) return;
    this.#isTold = true;
    const now = new Map(leases.map(({ udid, ownerId }) => [udid, ownerId]));
    for (const udid of [...this.#holders.keys()]) if (!now.has(udid)) this.#set(udid, null);
    for (const [udid, ownerId] of now) if (this.#holders.get(udid) !== ownerId) this.#set(udid, ownerId);
  }

  #set(udid: string, holderId: string | null): void {
    const before = this.#holders.get(udid);
    if (holderId === null) this.#holders.delete(udid);
    else this.#holders.set(udid, holderId);
    const ownerId = holderId ?? before;
    if (ownerId !== undefined) for (const tell of this.#listeners) tell({ udid, ownerId });
  }
}
