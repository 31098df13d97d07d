import {
  type Account,
  type Audit,
  type Authenticator,
  type actorOf,
  type Clock,
  isTokenSecret,
  type Log,
  type Stores,
  scopeSet,
  secretHash,
} from '@svc/auth-core';
import { LEASE_TOKEN_PREFIX } from '@svc/contract';
import type { LeaseCredential } from '../capabilities/session-options.ts';
import type { Devices } from '../devices.ts';
import type { LabEvents } from '../events/lab-events.ts';
import { accountSeesDevice } from '../visibility/see-device.ts';
import type { AgentLimits } from './agent-limits.ts';
import { type Claim, type Lease, type LeaseAgent, type LeaseStore, NO_CLAIMS } from './lease.ts';
import { leaseEvent } from './lease-events.ts';

export interface HeldLeasesTools {
  readonly store: LeaseStore;
  readonly lab: {
    readonly devices: Devices;
    readonly events: LabEvents;
    readonly queue: { wake(): void };
    readonly agentLimits: Pick<AgentLimits, 'excessOf' | 'leaseEnds'>;
  };
  readonly stores: Pick<Stores, 'accounts' | 'revocations' | 'transaction' | 'version'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
  /** Checks the credentials with which agents created leases. If absent, agents create no leases. */
  readonly authenticator?: Pick<Authenticator, 'stillGood'>;
}

/** A valid lease with the current account of its holder. */
export interface LiveLease {
  readonly lease: Lease;
  readonly owner: Account;
}

type Who = Partial<ReturnType<typeof actorOf>>;

/**
 * The leases of the lab, in memory and in the database. Whenever a lease is used, this class first checks whether the
 * lease has expired, whether its holder is active and whether the holder may still see the device. If not, the lease
 * ends.
 */
export class HeldLeases {
  readonly #tools: HeldLeasesTools;
  readonly #byDevice = new Map<string, Lease>();
  /** Ids of leases that should have ended but could not be removed from the database. */
  readonly #unstored = new Set<string>();
  readonly #listeners: ((lease: Lease) => void)[] = [];
  #seenVersion = -1;
  #isBlind = false;

  constructor(tools: HeldLeasesTools) {
    this.#tools = tools;
    for (const lease of tools.store.all()) this.#byDevice.set(lease.udid, lease);
  }

  /** Adds a listener that is called after a lease began or ended. The listener must not throw. */
  onChange(listener: (lease: Lease) => void): void {
    this.#listeners.push(listener);
  }

  get count(): number {
    return this.#byDevice.size;
  }

  /** Returns the leases that agents created. Some of them may no longer be valid. */
  ofAgents(): (Lease & { readonly agent: LeaseAgent })[] {
    return [...this.#byDevice.values()].flatMap((lease) =>
      lease.agent === undefined ? [] : { ...lease, agent: lease.agent },
    );
  }

  /** Returns all leases in memory. Some of them may no longer be valid. */
  all(): Lease[] {
    return [...this.#byDevice.values()];
  }

  /** Returns all valid leases, sorted by time of creation. */
  live(): LiveLease[] {
    return [...this.#byDevice.keys()].flatMap((udid) => this.on(udid) ?? []);
  }

  /**
   * @returns the valid lease on a device, or undefined if there is none. A lease that is no longer valid is ended
   * first.
   */
  on(udid: string): LiveLease | undefined {
    const lease = this.#byDevice.get(udid);
    if (lease === undefined) return undefined;
    const owner = this.#tools.stores.accounts.byId(lease.ownerId);
    const over = this.#reasonToEnd(lease, owner);
    if (over === null) return { lease, owner: owner as Account };
    try {
      this.end(lease, over, {});
    } catch (error) {
      this.#warn(lease, error);
    }
    return undefined;
  }

  /**
   * Looks up the lease that a create-session request names.
   * @param ownerId id of the account that owns the session, or null if the session has no owner
   * @param credential the lease that the request names, or null if it names none
   * @returns a function from the udid of a device to the relation between the request and the lease of this device
   */
  claimsOf(ownerId: string | null, credential: LeaseCredential | null): (udid: string) => Claim {
    if (this.#byDevice.size === 0) return NO_CLAIMS;
    const brought = credential === null ? null : this.#provenBy(credential);
    return (udid) => {
      const held = this.on(udid);
      if (held === undefined) return 'none';
      if (held.lease.id === brought) return 'brought';
      return held.lease.ownerId === ownerId ? 'own' : 'others';
    };
  }

  /** Stores a lease with its audit row. Throws `Conflict` if the device is already leased. */
  add(lease: Lease, who: Who): void {
    const reason = `lease ${lease.id} until ${new Date(lease.expiresAt).toISOString()}`;
    this.#tools.stores.transaction((tx) => {
      this.#tools.store.insert(lease);
      this.#tools.audit.record(tx, 'lease_created', { ...who, target: lease.udid, reason });
    });
    this.#byDevice.set(lease.udid, lease);
    this.#publish('lease_created', lease);
    for (const report of this.#listeners) report(lease);
  }

  extend(lease: Lease, expiresAt: number, who: Who): Lease {
    const changed = { ...lease, expiresAt };
    const reason = `lease ${lease.id} until ${new Date(expiresAt).toISOString()}`;
    this.#tools.stores.transaction((tx) => {
      this.#tools.store.extend(lease.id, expiresAt);
      this.#tools.audit.record(tx, 'lease_changed', { ...who, target: lease.udid, reason });
    });
    this.#byDevice.set(lease.udid, changed);
    this.#publish('lease_changed', changed);
    return changed;
  }

  end(lease: Lease, reason: string, who: Who): void {
    this.#tools.stores.transaction((tx) => {
      this.#tools.store.remove(lease.id);
      const details = { ...who, target: lease.udid, reason: `lease ${lease.id}: ${reason}` };
      this.#tools.audit.record(tx, 'lease_ended', details);
    });
    const { agent } = lease;
    if (agent !== undefined) this.#tools.lab.agentLimits.leaseEnds({ ...lease, agent });
    this.#byDevice.delete(lease.udid);
    this.#unstored.delete(lease.id);
    for (const report of this.#listeners) report(lease);
    this.#publish('lease_ended', lease, reason);
    this.#tools.lab.queue.wake();
  }

  /** Ends every lease. Called when this server has become a node, because its devices are then leased by the hub. */
  endAll(reason: string): void {
    for (const lease of [...this.#byDevice.values()]) this.end(lease, reason, {});
  }

  /**
   * Ends leases that are no longer valid. Checks them only if a lease has expired, or if accounts or teams have changed
   * since the last check. Called every second, and immediately after each change of accounts or teams. Otherwise a
   * change that makes a lease invalid would have no effect on the lease if it were undone before the next check.
   */
  sweep(): void {
    try {
      this.#sweep();
    } catch (error) {
      if (!this.#isBlind) this.#tools.log.warn('Leases cannot be checked', { cause: String(error) });
      this.#isBlind = true;
    }
  }

  #sweep(): void {
    if (this.#byDevice.size === 0) return;
    const now = this.#tools.clock.now();
    const version = this.#tools.stores.version();
    // The minutes of an agent are used up without any change of accounts.
    const isDue = [...this.#byDevice.values()].some(
      ({ expiresAt, agent }) => expiresAt <= now || agent?.minutes != null,
    );
    if (!isDue && version === this.#seenVersion) return;
    this.live();
    this.#seenVersion = version;
    this.#isBlind = false;
  }

  /**
   * Logs that the end of a lease could not be stored. Each lease is logged only once, although its end is tried again
   * at each check.
   */
  #warn({ id }: Lease, error: unknown): void {
    if (this.#unstored.has(id)) return;
    this.#unstored.add(id);
    this.#tools.log.warn('The end of a lease could not be stored', { lease: id, cause: String(error) });
  }

  #provenBy({ id, token }: LeaseCredential): string | null {
    if (!isTokenSecret(token, LEASE_TOKEN_PREFIX)) return null;
    // Compare the hash of the token, because the lease contains only this hash.
    const hash = secretHash(token);
    for (const lease of this.#byDevice.values()) if (lease.id === id && lease.hash === hash) return id;
    return null;
  }

  #reasonToEnd({ expiresAt, udid, agent }: Lease, owner: Account | undefined): string | null {
    if (expiresAt <= this.#tools.clock.now()) return 'it expired';
    if (owner === undefined) return 'its holder was deleted';
    if (owner.status !== 'Active') return 'its holder is not active';
    const ofAgent = agent === undefined ? null : this.#reasonOfAgent(agent, owner);
    if (ofAgent !== null) return ofAgent;
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined) return 'its phone is no longer known';
    return accountSeesDevice(owner, device.teamId) ? null : 'its holder may not see the phone';
  }

  /** @returns why the lease of an agent has to end, or null if its token is valid and within its limits */
  #reasonOfAgent(agent: LeaseAgent, owner: Account): string | null {
    const { authenticator, stores, lab, clock } = this.#tools;
    const { id, until, credential, signInEpoch } = agent;
    const caller = {
      account: { ...owner, signInEpoch },
      credential,
      scopes: scopeSet([]),
      expiresAt: until,
      grantsUntil: until,
      teamId: null,
      extended: false,
      from: { address: null, peer: null, requestId: null },
    };
    const isStopped = stores.revocations.find(id) !== undefined || clock.now() >= until;
    if (isStopped || authenticator?.stillGood(caller) !== true) return 'the token of its agent has ended';
    return lab.agentLimits.excessOf(agent);
  }

  #publish(type: 'lease_created' | 'lease_changed' | 'lease_ended', lease: Lease, reason?: string): void {
    const { lab, stores } = this.#tools;
    if (!lab.events.hasListeners) return;
    const owner = stores.accounts.byId(lease.ownerId)?.email ?? null;
    const teamId = lab.devices.byUdid(lease.udid)?.teamId ?? null;
    lab.events.publish(
      leaseEvent(type, lease, { owner, teamId, ...(reason === undefined ? {} : { reason }) }),
    );
  }
}
