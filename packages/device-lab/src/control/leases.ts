import {
  actorOf,
  type Caller,
  type Clock,
  Conflict,
  isOverrideAdmin,
  mayAccess,
  newTokenSecret,
  origin,
  type Random,
  Refusal,
  type RequestOrigin,
  secretHash,
} from '@svc/auth-core';
import { DEVICES, LEASE_TOKEN_PREFIX } from '@svc/contract';
import { CreateRefused } from '../create-refused.ts';
import type { Device } from '../device.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { HeldLeases, LiveLease } from '../leases/held-leases.ts';
import { type Lease, leaseAgentOf } from '../leases/lease.ts';
import { leaseView } from '../matching/lease-view.ts';
import type { PhoneView } from '../matching/phone-view.ts';
import type { Patience, PhoneRequest } from '../queue/phone-request.ts';
import { waitingFor } from '../queue/session-request.ts';
import { ShareReached } from '../shares/share-limits.ts';
import { LeasablePhones } from './leasable-phones.ts';
import { checkChoice, type LeaseInput, lifeOf, queueMsOf } from './lease-input.ts';

/** A new lease with its secret token. */
export interface CreatedLease {
  readonly lease: Lease;
  readonly secret: string;
}

interface Tools {
  readonly held: HeldLeases;
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'queue' | 'agentLimits' | 'shares' | 'holdOnHost'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of leases that one account holds at the same time; 0 means no limit (contract 4). */
  readonly mostLeases: number;
}

/** Creates, lists and ends leases for callers (contract 2). */
export class Leases {
  readonly #tools: Tools;
  readonly #phones: LeasablePhones;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#phones = new LeasablePhones(tools.lab, tools.held);
  }

  /**
   * Creates a lease without waiting for a device. Only this result contains the secret, because the store keeps only a
   * hash of it. If several callers request the same device, only one of them gets it.
   */
  create(caller: Caller, input: LeaseInput): CreatedLease {
    const request = this.#requestFrom(caller, input);
    this.#tools.lab.queue.serveWaiting();
    return refusing(() => request.take(caller));
  }

  /**
   * Creates a lease like `create`, but waits up to `queueSeconds` for a device (contract 13). `gone` must be aborted
   * when the client disconnects. Rejects with a `Refusal`, or with the errors of `PhoneQueue.take`. A device that
   * another server of this host holds counts as busy (contract 14.8).
   */
  async createInTurn(caller: Caller, input: LeaseInput, gone: Patience['gone']): Promise<CreatedLease> {
    const { lab, clock, held } = this.#tools;
    const request = this.#requestFrom(caller, input);
    const until = clock.now() + queueMsOf(input);
    for (;;) {
      const created = await lab.queue.take(request, { until, gone }).catch(refuse);
      if (await lab.holdOnHost(created.lease.udid)) return created;
      held.end(created.lease, 'another server of this host holds the phone', actorOf(caller));
    }
  }

  /** Validates the input and returns it in the form in which the queue stores a waiting request. */
  #requestFrom(caller: Caller, input: LeaseInput): PhoneRequest<CreatedLease> {
    const lifeMs = lifeOf(input.minutes);
    checkChoice(input);
    const view = leaseView(input);
    return {
      kind: 'lease',
      caller,
      countedAs: caller.account.id,
      wants: { udid: view.udid, platform: view.platform, tags: view.tags },
      needsDevice: true,
      take: (current) => this.#add(current ?? caller, view, lifeMs),
      canWait: (error, current, isFirst) => {
        if (error instanceof ShareReached) return error.mayWait;
        if (!(error instanceof Refusal)) return false;
        const isAway = error.code === 'not_found' && this.#phones.isKnown(current ?? caller, view);
        return error.code === 'device_busy' || (isAway && !isFirst);
      },
      heldBack: (current) =>
        waitingFor(this.#tools.lab.shares.reached((current ?? caller).account.id, 'leases')),
      lostRight: (current) =>
        mayAccess(current, DEVICES) ? null : 'the caller may not lease phones any more',
      usable: (current) => (device) => this.#phones.fits(current ?? caller, view, device),
    };
  }

  #add(caller: Caller, view: PhoneView, lifeMs: number): CreatedLease {
    const { held, lab, clock, random } = this.#tools;
    this.#checkRoom(caller);
    this.#tools.lab.shares.check(caller.account.id, 'leases');
    const device = this.#phones.choose(caller, view);
    const lastEnd = this.#lastEndFor(caller, device);
    const secret = newTokenSecret(random, LEASE_TOKEN_PREFIX);
    const createdAt = clock.now();
    const lease: Lease = {
      id: random.uuid(),
      udid: device.udid,
      ownerId: caller.account.id,
      hash: secretHash(secret),
      createdAt,
      expiresAt: Math.min(createdAt + lifeMs, createdAt + lab.shares.leftMs(caller.account.id), lastEnd),
      ...leaseAgentOf(caller),
    };
    try {
      held.add(lease, actorOf(caller));
    } catch (error) {
      if (error instanceof Conflict) throw new Refusal('device_busy', 'leased meanwhile');
      throw error;
    }
    return { lease, secret };
  }

  /** @returns the caller's leases, or all leases if `isOverrideAdmin` is true for the caller */
  list(caller: Caller): LiveLease[] {
    return this.#tools.held.live().filter(({ lease }) => isShown(caller, lease));
  }

  /** Changes the end of a lease to `minutes` from now. */
  extend(caller: Caller, id: string, minutes: number): LiveLease {
    const { held, lab, clock } = this.#tools;
    const { lease, owner } = this.#seen(caller, id);
    const lifeMs = Math.min(lifeOf(minutes), lab.shares.leftMs(lease.ownerId));
    const reached = lifeMs > 0 ? null : lab.shares.reached(lease.ownerId, 'leases');
    if (reached?.limit === 'minutes') throw refusalOf(reached);
    // The lease of an agent ends with the agent's token at the latest.
    const expiresAt = Math.min(clock.now() + lifeMs, lease.agent?.until ?? Number.POSITIVE_INFINITY);
    return { lease: held.extend(lease, expiresAt, actorOf(caller)), owner };
  }

  /** Ends a lease. A session on the device continues. */
  end(caller: Caller, id: string): void {
    const { lease } = this.#seen(caller, id);
    const isOwner = lease.ownerId === caller.account.id;
    this.#tools.held.end(lease, isOwner ? 'given back' : 'ended by an administrator', actorOf(caller));
  }

  /** Returns the valid lease whose token has this SHA-256 digest (hex). */
  byToken(hash: string): LiveLease | undefined {
    return this.#tools.held.live().find(({ lease }) => lease.hash === hash);
  }

  /**
   * Ends the lease whose token has this SHA-256 digest (hex). Has no effect if no lease has this digest (contract
   * 10.4).
   */
  endByToken(hash: string, from: RequestOrigin): void {
    const found = this.byToken(hash);
    if (found !== undefined) this.#tools.held.end(found.lease, 'its token was revoked', origin(from));
  }

  /**
   * Ends leases that have expired, or whose holders lost the right to the device. Called after a change of accounts or
   * teams.
   */
  recheck(): void {
    this.#tools.held.sweep();
  }

  /**
   * Checks that the caller may see a lease. Throws `not_found` if the lease is hidden from the caller, unknown or
   * ended.
   */
  checkSeen(caller: Caller, id: string): void {
    this.#seen(caller, id);
  }

  #seen(caller: Caller, id: string): LiveLease {
    const found = this.#tools.held.live().find(({ lease }) => lease.id === id);
    if (found === undefined) throw new Refusal('not_found', 'unknown lease');
    if (!isShown(caller, found.lease)) throw new Refusal('not_found', 'lease of someone else');
    return found;
  }

  /** Throws `too_many_leases` if the account holds as many leases as it may. */
  #checkRoom({ account }: Caller): void {
    const { held, mostLeases } = this.#tools;
    if (mostLeases === 0) return;
    const own = held.live().filter(({ lease }) => lease.ownerId === account.id);
    if (own.length >= mostLeases)
      throw new Refusal('too_many_leases', 'too many leases of the account', { limit: mostLeases });
  }

  /**
   * @returns the latest end (ms since 1970) of a lease that the caller creates, or infinity for no bound. A lease of an
   * agent counts towards the limits of its token. Throws `limit_reached` if they do not allow the lease.
   */
  #lastEndFor({ credential: { agent }, expiresAt }: Caller, { udid }: Device): number {
    if (agent === null) return Number.POSITIVE_INFINITY;
    const { agentLimits } = this.#tools.lab;
    try {
      agentLimits.checkPhone(agent, udid);
      return Math.min(agentLimits.lastingUntil(agent), expiresAt ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      if (error instanceof CreateRefused && error.kind === 'agent-limit')
        throw new Refusal('limit_reached', 'limit of the agent', { message: error.message });
      throw error;
    }
  }
}

function isShown(caller: Caller, { ownerId }: Lease): boolean {
  return ownerId === caller.account.id || isOverrideAdmin(caller);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  throw error instanceof ShareReached ? refusalOf(error) : error;
}

/** @returns the refusal of a lease by a limit of its account or of a team */
function refusalOf({ limit, most, team, retryAfter, message }: ShareReached): Refusal {
  const fields = { limit: most, message, ...(team === null ? {} : { team }) };
  if (limit !== 'minutes') return new Refusal('too_many_leases', message, fields);
  return new Refusal('minutes_used_up', message, { ...fields, retryAfter: retryAfter ?? 0 });
}
