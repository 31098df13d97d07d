import { type Account, type Caller, type Clock, mayAccess, type Stores } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { Devices } from '../devices.ts';
import { maySeeDevice } from '../visibility/see-device.ts';
import type { PhoneQueue } from './phone-queue.ts';
import type { WantedPhone } from './phone-request.ts';
import type { WaitingRequest } from './waiting-request.ts';

/** A waiting request with the facts that the caller may see. Times are ms since 1970. */
export interface WaitingView {
  readonly kind: 'session' | 'lease';
  /**
   * Position of the request (1 is the first) among the waiting requests that could use at least one of the same phones.
   */
  readonly place: number;
  readonly since: number;
  readonly until: number;
  readonly isOwn: boolean;
  /**
   * Account that sent the request, or null if the request has no account or the caller is not allowed to see the
   * account.
   */
  readonly owner: Account | null;
  readonly wants: WantedPhone;
  /**
   * Why the request gets no phone although none that fits is in use: a limit of its account or team, or its phones are
   * out of service. Null if there is no such reason, or if the caller may not know whose request it is.
   */
  readonly because: string | null;
}

interface Tools {
  readonly queue: Pick<PhoneQueue, 'list'>;
  readonly devices: Devices;
  readonly stores: Pick<Stores, 'accounts'>;
  /** Returns why a phone is out of service, or null. */
  readonly outOfService?: (udid: string) => { readonly reason: string } | null;
  readonly clock: Clock;
}

interface Placed {
  readonly waiting: WaitingRequest;
  /** Udids of the phones that the request could use. */
  readonly usable: ReadonlySet<string>;
  readonly place: number;
}

/**
 * Time (ms) for which computed positions are cached. When the queue changes, many clients query the positions at the
 * same time.
 */
const PLACES_MS = 500;

/**
 * Lists the waiting requests for a caller. A request of another account is left out if it names a phone that the caller
 * is not allowed to see. Only Admins see which account sent a request of another account (contract 13).
 */
export class QueueDirectory {
  readonly #tools: Tools;
  #placed: { readonly at: number; readonly all: readonly Placed[] } = { at: 0, all: [] };

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Returns the waiting requests in the order of their turns, without those that are hidden from the caller. */
  list(caller: Caller): WaitingView[] {
    const isAdmin = mayAccess(caller, ADMIN);
    const current = new Set(this.#tools.queue.list());
    return this.#places().flatMap(({ waiting, place, usable }) => {
      const isOwn = waiting.request.caller?.account.id === caller.account.id;
      if (!current.has(waiting) || !(isOwn || this.#maySee(caller, waiting))) return [];
      const { request, since, until } = waiting;
      const owner = isOwn || isAdmin ? this.#ownerOf(waiting) : null;
      const because = isOwn || isAdmin ? this.#reasonOf(waiting, usable) : null;
      return [{ kind: request.kind, place, since, until, isOwn, owner, wants: request.wants, because }];
    });
  }

  #reasonOf({ request }: WaitingRequest, usable: ReadonlySet<string>): string | null {
    const held = request.heldBack(request.caller);
    if (held !== null || !request.needsDevice) return held;
    const { outOfService = () => null } = this.#tools;
    const out = [...usable].map(outOfService);
    const [first = null] = out;
    if (first === null || out.includes(null)) return null;
    return out.length === 1
      ? `the phone is out of service: ${first.reason}`
      : 'every phone that fits is out of service';
  }

  #ownerOf({ request }: WaitingRequest): Account | null {
    return request.caller === null
      ? null
      : (this.#tools.stores.accounts.byId(request.caller.account.id) ?? null);
  }

  #maySee(caller: Caller, { request }: WaitingRequest): boolean {
    if (request.wants.udid === null) return true;
    const device = this.#tools.devices.byUdid(request.wants.udid);
    return device !== undefined && maySeeDevice(caller, device.teamId);
  }

  #places(): readonly Placed[] {
    const now = this.#tools.clock.now();
    const requests = this.#tools.queue.list();
    const known = this.#placed;
    const isCurrent =
      Math.abs(now - known.at) < PLACES_MS && requests.every((each, at) => known.all[at]?.waiting === each);
    if (isCurrent) return known.all;
    const usable = requests.map((request) => this.#usableBy(request));
    const all = requests.map((waiting, at) => {
      const own = usable[at] ?? new Set();
      const ahead = usable.slice(0, at).filter((earlier) => overlap(earlier, own));
      return { waiting, usable: own, place: ahead.length + 1 };
    });
    this.#placed = { at: now, all };
    return all;
  }

  /**
   * Returns the udids of the phones that the request could use. If the request needs no device of the lab, the set
   * contains only the empty string. All such requests then count as requests for the same phone, because all of them
   * wait for the session limit.
   */
  #usableBy({ request }: WaitingRequest): ReadonlySet<string> {
    const { devices } = this.#tools;
    if (!request.needsDevice || devices.isEmpty) return new Set(['']);
    const isUsable = request.usable(request.caller);
    return new Set(devices.list().flatMap((device) => (isUsable(device) ? [device.udid] : [])));
  }
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const udid of small) if (large.has(udid)) return true;
  return false;
}
