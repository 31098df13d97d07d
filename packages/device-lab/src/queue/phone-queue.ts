import { type Clock, Unavailable } from '@svc/auth-core';
import type { OpenConnections } from '@svc/module';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { LabEvents } from '../events/lab-events.ts';
import { LongWait } from './long-wait.ts';
import { ClientLeft, type Patience, type PhoneRequest } from './phone-request.ts';
import { QueueCounts } from './queue-counts.ts';
import { QueueEvents } from './queue-events.ts';
import { TurnQueue } from './turn-queue.ts';
import { WaitingRequest, type WaitingTools } from './waiting-request.ts';

export interface PhoneQueueOptions {
  readonly devices: Devices;
  /** Returns whether the lab is at its session limit. */
  readonly isFull: () => boolean;
  readonly events: LabEvents;
  /**
   * Watches the credentials of waiting requests. If absent, the credentials of a request are checked only when it
   * arrives.
   */
  readonly connections?: Pick<OpenConnections, 'add'> | undefined;
  readonly clock: Clock;
}

/**
 * Maximum time (ms) between two attempts to serve the waiting requests. Some changes, such as a raised session limit,
 * trigger no attempt themselves and take effect at the next one.
 */
const SWEEP_MS = 1_000;

/**
 * Queue of create-session and lease requests that wait for a phone (contract 13). Every request for a phone goes
 * through the queue, so that no later request overtakes a waiting one.
 */
export class PhoneQueue {
  readonly counts = new QueueCounts();
  readonly #options: PhoneQueueOptions;
  readonly #tools: WaitingTools;
  readonly #queue = new TurnQueue<WaitingRequest>();
  readonly #events: QueueEvents;
  readonly #longWait: LongWait;
  /**
   * Udids of free phones that are reserved for create-session requests that wait only because of the session limit.
   * Leases cannot take these phones.
   */
  readonly #kept = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(options: PhoneQueueOptions) {
    const { clock, connections } = options;
    this.#options = options;
    this.#events = new QueueEvents(options.events, () => this.waiting);
    this.#longWait = new LongWait(options.events);
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

  /** Returns the waiting requests in the order of their turns. */
  list(): WaitingRequest[] {
    return this.#queue.list();
  }

  /** Returns whether this free phone is reserved for a waiting create-session request. If so, it must not be leased. */
  isKept(udid: string): boolean {
    return this.#kept.has(udid);
  }

  /**
   * Lets the waiting requests take free phones. Call this before a new request takes a phone, so that the new request
   * does not overtake them.
   */
  serveWaiting(): void {
    if (this.waiting > 0) this.#pass();
  }

  /**
   * Takes a phone, and waits for one if none is free. Rejects with the error of `request.take` if the request does not
   * wait or its time is over, with `RightLost` if its sender has lost the right to make it, with `ClientLeft` if its
   * client disconnects, and with `Unavailable` if the server stops or cannot check the sender's rights.
   */
  async take<R>(request: PhoneRequest<R>, patience: Patience): Promise<R> {
    this.serveWaiting();
    try {
      return request.take(request.caller);
    } catch (error) {
      const { gone, until } = patience;
      const mayWait = gone !== null && this.#options.clock.now() < until && !this.#isClosed;
      if (!mayWait || !request.canWait(error, request.caller, true)) throw error;
      if (gone.aborted) throw new ClientLeft();
      return await this.#join(request, patience, error);
    }
  }

  /**
   * Schedules another attempt for the waiting requests. Call this after each change that could let a waiting request
   * succeed, for example the end of a session.
   */
  wake(): void {
    if (this.#isWoken || this.waiting === 0) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      this.serveWaiting();
    });
  }

  /**
   * Refuses all waiting requests, and all later requests that would have to wait. Call this before the server stops.
   */
  close(): void {
    this.#isClosed = true;
    for (const request of this.list()) request.refuse(new Unavailable('the server stops'), 'stopped');
  }

  #join<R>(request: PhoneRequest<R>, patience: Patience, error: unknown): Promise<R> {
    const waiting = new WaitingRequest(request, patience, this.#tools);
    if (!this.#queue.add(waiting as WaitingRequest)) {
      this.counts.full += 1;
      throw error;
    }
    waiting.begin();
    this.#events.changed();
    this.#pass();
    this.#schedule();
    return waiting.result;
  }

  /** Tries to serve the waiting requests in the order of their arrival. */
  #pass(isSweep = false): void {
    const { clock, isFull, devices } = this.#options;
    this.#kept.clear();
    const free = devices.list().filter(({ udid }) => devices.availabilityOf(udid) === 'free');
    this.#queue.pass(clock.now(), (waiting) => {
      const { kind, caller } = waiting.request;
      const isHeldBack =
        waiting.request.heldBack(caller) !== null ||
        (kind === 'session' && this.#isHeldBack(waiting, free, isFull()));
      // Skip requests that cannot succeed now, because an attempt is expensive. The regular attempts of
      // the timer (`isSweep`) include them, because an attempt also refuses a request whose sender has lost the right
      // to make it.
      return isSweep || !isHeldBack;
    });
  }

  /**
   * Returns whether a create-session request cannot be served now. If there is a suitable free phone and only the
   * session limit prevents the request, reserves the phone for it.
   */
  #isHeldBack({ request }: WaitingRequest, free: readonly Device[], isFull: boolean): boolean {
    const { devices } = this.#options;
    if (!request.needsDevice || devices.isEmpty) return isFull;
    const isUsable = request.usable(request.caller);
    const found = free.find(
      (device) =>
        devices.availabilityOf(device.udid) === 'free' && !this.#kept.has(device.udid) && isUsable(device),
    );
    if (found !== undefined && isFull) this.#kept.add(found.udid);
    return found === undefined || isFull;
  }

  /** Sets the timer for the next regular attempt, or for the end of a request's waiting time if that is earlier. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const end = this.#queue.nextEnd();
    if (end === null) return;
    const ms = Math.min(SWEEP_MS, Math.max(0, end - this.#options.clock.now()));
    this.#timer = setTimeout(() => {
      this.#pass(true);
      this.#longWait.check(this.list(), this.#options.clock.now());
      this.#schedule();
    }, ms).unref();
  }

  #idle(): void {
    clearTimeout(this.#timer);
    this.#kept.clear();
    this.#longWait.check([], 0);
  }
}
