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
import { DEVICES, LEASE_TOKEN_PREFIX, MAX_LEASE_QUEUE_SECONDS } from '@svc/contract';
import { CreateRefused } from '../create-refused.ts';
import type { Device } from '../device.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { Devices } from '../devices.ts';
import type { HeldLeases, LiveLease } from '../leases/held-leases.ts';
import { type Lease, leaseAgentOf } from '../leases/lease.ts';
import { leaseView } from '../matching/lease-view.ts';
import type { PhoneView } from '../matching/phone-view.ts';
import type { Patience, PhoneRequest } from '../queue/phone-request.ts';
import { waitingFor } from '../queue/session-request.ts';
import { ShareReached } from '../shares/share-limits.ts';
import { maySeeDevice } from '../visibility/see-device.ts';

/** Input of a new lease: which device to lease, by udid or by platform and tags, and for how long. */
export interface LeaseInput {
  readonly udid?: string | undefined;
  readonly platform?: string | undefined;
  /** Tags, all of which the device must have. */
  readonly tags?: readonly string[] | undefined;
  /**
   * Conditions on the device, in place of `platform` and `tags`: the same object as `svc:options.device` (contract
   * 14.4). The value is not validated yet.
   */
  readonly device?: unknown;
  /** Duration of the lease in minutes, from 1 to 480. */
  readonly minutes: number;
  /**
   * Seconds for which the request waits for a device, from 0 to 60; 0 if absent. The value is not validated yet
   * (contract 13).
   */
  readonly queueSeconds?: unknown;
}

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

const MINUTE_MS = 60_000;
const MOST_MINUTES = 480;

/** Creates, lists and ends leases for callers (contract 2). */
export class Leases {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
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
        const isAway = error.code === 'not_found' && this.#isKnown(current ?? caller, view);
        return error.code === 'device_busy' || (isAway && !isFirst);
      },
      heldBack: (current) =>
        waitingFor(this.#tools.lab.shares.reached((current ?? caller).account.id, 'leases')),
      lostRight: (current) =>
        mayAccess(current, DEVICES) ? null : 'the caller may not lease phones any more',
      usable: (current) => (device) => this.#fits(current ?? caller, view, device),
    };
  }

  #add(caller: Caller, view: PhoneView, lifeMs: number): CreatedLease {
    const { held, lab, clock, random } = this.#tools;
    this.#checkRoom(caller);
    this.#tools.lab.shares.check(caller.account.id, 'leases');
    const device = this.#chosen(caller, view);
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

  /**
   * Chooses a device that fits and has no lease: the free device that has been idle longest, or if none is free, a
   * device that is busy with a session of the caller.
   */
  #chosen(caller: Caller, view: PhoneView): Device {
    const { devices, queue } = this.#tools.lab;
    const fitting = devices
      .list()
      .filter((device) => devices.statusOf(device.udid) !== 'away' && this.#fits(caller, view, device));
    if (fitting.length === 0) throw new Refusal('not_found', 'no present phone matches');
    const open = fitting.filter(({ udid }) => this.#tools.held.on(udid) === undefined && !queue.isKept(udid));
    const ownerId = caller.account.id;
    const idle = open.filter((device) => devices.availabilityOf(device.udid, ownerId) === 'free');
    const [free] = idle.sort((a, b) => idleSince(devices, a) - idleSince(devices, b));
    const chosen = free ?? open.find((device) => this.#runsOwnSession(caller, device.udid));
    if (chosen === undefined) for (const { udid } of open) devices.want(udid);
    if (chosen === undefined) throw new Refusal('device_busy', 'all matching phones are busy or leased');
    return chosen;
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

  #isKnown(caller: Caller, view: PhoneView): boolean {
    return this.#tools.lab.devices.list().some((device) => this.#fits(caller, view, device));
  }

  #fits(caller: Caller, { conditions }: PhoneView, device: Device): boolean {
    if (!maySeeDevice(caller, device.teamId)) return false;
    const phone = { device, tags: this.#tools.lab.devices.tagsOf(device.udid) };
    return conditions.every((each) => each.holds(phone));
  }

  #runsOwnSession({ account }: Caller, udid: string): boolean {
    const { sessions } = this.#tools.lab;
    return sessions.running().some(({ device, ownerId }) => device?.udid === udid && ownerId === account.id);
  }
}

function isShown(caller: Caller, { ownerId }: Lease): boolean {
  return ownerId === caller.account.id || isOverrideAdmin(caller);
}

function lifeOf(minutes: number): number {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MOST_MINUTES)
    throw new Refusal('invalid_lease', 'minutes', {
      message: `minutes: a whole number of 1 to ${MOST_MINUTES}`,
    });
  return minutes * MINUTE_MS;
}

function queueMsOf({ queueSeconds = 0 }: LeaseInput): number {
  const isUsable =
    Number.isInteger(queueSeconds) &&
    (queueSeconds as number) >= 0 &&
    (queueSeconds as number) <= MAX_LEASE_QUEUE_SECONDS;
  if (!isUsable)
    throw new Refusal('invalid_lease', 'queueSeconds', {
      message: `queueSeconds: a whole number of 0 to ${MAX_LEASE_QUEUE_SECONDS}`,
    });
  return (queueSeconds as number) * 1_000;
}

function idleSince(devices: Devices, { udid }: Device): number {
  return devices.idleSinceOf(udid) ?? 0;
}

function checkChoice({ udid, platform, tags, device }: LeaseInput): void {
  const ways = [udid !== undefined, platform !== undefined || tags !== undefined, device !== undefined];
  const message = 'name a phone by udid, or say what fits with device, or with platform and tags';
  const isEmpty = device === undefined && platform === undefined && tags?.length === 0;
  if (ways.filter(Boolean).length !== 1 || isEmpty) throw new Refusal('invalid_lease', 'choice', { message });
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
