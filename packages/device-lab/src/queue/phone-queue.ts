import { type Clock, type OpenConnections, Unavailable } from '@svc/auth-core';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { LabEvents } from '../events/lab-events.ts';
import { QueueCounts } from './queue-counts.ts';
import { QueueEvents } from './queue-events.ts';
import { TurnQueue } from './turn-queue.ts';
import { WaitingRequest, type WaitingTools } from './waiting-request.ts';
import { ClientLeft, type Patience, type Wish } from './wish.ts';

export interface PhoneQueueOptions {
  readonly devices: Devices;
  /** Returns whether the lab is at its session limit. */
  readonly isFull: () => boolean;
  readonly events: LabEvents;
  /** Checks the credentials of waiting requests. If absent, they are not checked again. */
  readonly connections?: Pick<OpenConnections, 'add'> | undefined;
  readonly clock: Clock;
}

/** Maximum time in ms between two passes while requests wait, so that a raised session limit is noticed. */
const SWEEP_MS = 1_000;

/**
 * The queue of creates and lease requests that wait for a phone (contract 13). All requests for phones take theirs
 * through the queue, so that no later request overtakes a waiting one.
 */
export class PhoneQueue {
  readonly counts = new QueueCounts();
  readonly #options: PhoneQueueOptions;
  readonly #tools: WaitingTools;
  readonly #queue = new TurnQueue<WaitingRequest>();
  readonly #events: QueueEvents;
  /** Udids of free phones that waiting creates get as soon as the session limit lets them in. Leases leave them out. */
  readonly #kept = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(options: PhoneQueueOptions) {
    const { clock, connections } = options;
    this.#options = options;
    this.#events = new QueueEvents(options.events, () => this.waiting);
    this.#tools = {
      clock,
      connections,
      ended: (request, end, waitedMs) => {
        this.#queue.remove(request);
        this.counts.ended(end, waitedMs);
        if (this.waiting === 0) this.#idle();
        this.#events.changed();
      },
    };
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Returns the waiting requests, longest waiting first. */
  list(): WaitingRequest[] {
    return this.#queue.list();
  }

  /** Returns whether a waiting create gets this free phone before any lease. */
  isKept(udid: string): boolean {
    return this.#kept.has(udid);
  }

  /** Lets the waiting requests take what is free. Call it before a phone is taken for a request that did not wait. */
  serveWaiting(): void {
    if (this.waiting > 0) this.#pass();
  }

  /**
   * Takes a phone, and waits for one if there is none. Rejects with the error of `wish.take` if the request may not
   * wait or its time has ended, with `RightLost`, with `ClientLeft`, or with `Unavailable` if the server stops.
   */
  async take<R>(wish: Wish<R>, patience: Patience): Promise<R> {
    this.serveWaiting();
    try {
      return wish.take(wish.caller);
    } catch (error) {
      const { gone, until } = patience;
      const mayWait = gone !== null && this.#options.clock.now() < until && !this.#isClosed;
      if (!mayWait || !wish.canWait(error, wish.caller, true)) throw error;
      if (gone.aborted) throw new ClientLeft();
      return await this.#join(wish, patience, error);
    }
  }

  /** Lets waiting requests try again soon. Call it whenever a phone or a place may have become free. */
  wake(): void {
    if (this.#isWoken || this.waiting === 0) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      this.serveWaiting();
    });
  }

  /** Refuses all waiting requests, and lets no request wait from now on. Call it before the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const request of this.list()) request.refuse(new Unavailable('the server stops'), 'stopped');
  }

  #join<R>(wish: Wish<R>, patience: Patience, error: unknown): Promise<R> {
    const request = new WaitingRequest(wish, patience, this.#tools);
    if (!this.#queue.add(request as WaitingRequest)) {
      this.counts.full += 1;
      throw error;
    }
    request.begin();
    this.#events.changed();
    this.#pass();
    this.#schedule();
    return request.result;
  }

  /** Gives every request that may be served an attempt, in the order of their arrival. */
  #pass(isSweep = false): void {
    const { clock, isFull, devices } = this.#options;
    this.#kept.clear();
    const free = devices.list().filter(({ udid }) => devices.statusOf(udid) === 'free');
    this.#queue.pass(clock.now(), (request) => {
      const isHeldBack = request.wish.kind === 'session' && this.#isHeldBack(request, free, isFull());
      // A full attempt costs more, so creates that cannot succeed get one only when their rights are checked again.
      return isSweep || !isHeldBack;
    });
  }

  /**
   * Returns whether a create cannot be served now. If only the session limit stops it, keeps one of the free phones
   * that it could use.
   */
  #isHeldBack({ wish }: WaitingRequest, free: readonly Device[], isFull: boolean): boolean {
    const { devices } = this.#options;
    if (!wish.needsDevice || devices.isEmpty) return isFull;
    const isUsable = wish.usable(wish.caller);
    const found = free.find(
      (device) =>
        devices.statusOf(device.udid) === 'free' && !this.#kept.has(device.udid) && isUsable(device),
    );
    if (found !== undefined && isFull) this.#kept.add(found.udid);
    return found === undefined || isFull;
  }

  /** Sets the timer for the next request whose time ends, or for the next sweep. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const end = this.#queue.nextEnd();
    if (end === null) return;
    const ms = Math.min(SWEEP_MS, Math.max(0, end - this.#options.clock.now()));
    this.#timer = setTimeout(() => {
      this.#pass(true);
      this.#schedule();
    }, ms).unref();
  }

  #idle(): void {
    clearTimeout(this.#timer);
    this.#kept.clear();
  }
}
