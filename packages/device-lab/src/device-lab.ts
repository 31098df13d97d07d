import { type Clock, type Log, maskSecrets } from '@svc/auth-core';
import type { DriverSession, DriverSessionStore } from './driver-session.ts';
import { DriverSessions, type SessionEnd } from './driver-sessions.ts';
import { type Phone, Phones, type PhoneWish } from './phones.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly phones: readonly Phone[];
  /** Running or starting sessions at once; 0: no limit (specification 8.2). */
  readonly maxSessions: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a new session is to be. */
export interface SessionRequest extends PhoneWish {
  readonly ownerId: string | null;
  readonly healingTiers: readonly number[] | null;
}

/** The lab runs as many sessions as it may. */
export class LabFull extends Error {
  constructor(most: number) {
    super(`the limit of ${most} sessions at once is reached`);
    this.name = 'LabFull';
  }
}

/** The device lab of one server: its phones and the sessions on them. */
export class DeviceLab {
  readonly sessions: DriverSessions;
  readonly phones: Phones;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  #starting = 0;

  constructor({ sessions, phones, maxSessions, clock, log }: DeviceLabOptions) {
    this.sessions = new DriverSessions(sessions, clock, log);
    this.phones = new Phones(phones);
    this.#maxSessions = maxSessions;
    this.#clock = clock;
    this.sessions.closeLeftovers();
  }

  /**
   * A place for a session that is about to start, its phone held. Throws `LabFull` or `NoPhone`. Whoever gets it
   * must either `open` or `cancel` it.
   */
  reserve(request: SessionRequest): Place {
    const taken = this.sessions.runningCount + this.#starting;
    if (this.#maxSessions > 0 && taken >= this.#maxSessions) throw new LabFull(this.#maxSessions);
    const phone = this.phones.isEmpty ? null : this.phones.hold(request);
    this.#starting++;
    return new Place(phone, {
      open: (id, capabilities) => {
        this.sessions.record(this.#recordOf(id, request, phone, capabilities));
        this.#starting--;
      },
      cancel: () => {
        this.#starting--;
        if (phone !== null) this.phones.release(phone.udid);
      },
    });
  }

  /** A session is over and its phone free again, whoever ended it and however often this is told. */
  end(id: string, end: SessionEnd): DriverSession | undefined {
    const session = this.sessions.end(id, end);
    const udid = session?.device?.udid;
    if (udid !== undefined && session?.node === null) this.phones.release(udid);
    return session;
  }

  #recordOf(
    id: string,
    request: SessionRequest,
    phone: Phone | null,
    capabilities: Record<string, unknown>,
  ): DriverSession {
    return {
      id,
      name: null,
      status: 'running',
      ownerId: request.ownerId,
      device: phone === null ? null : { udid: phone.udid, name: phone.name, platform: phone.platform },
      node: null,
      startedAt: this.#clock.now(),
      endedAt: null,
      failureCategory: null,
      failureReason: null,
      tags: [],
      healingTiers: request.healingTiers,
      capabilities: maskSecrets(capabilities) as Record<string, unknown>,
    };
  }
}

interface PlaceKeeper {
  open(id: string, capabilities: Record<string, unknown>): void;
  cancel(): void;
}

/** A session that is starting. Settled once: opened or cancelled. */
export class Place {
  readonly phone: Phone | null;
  readonly #keeper: PlaceKeeper;
  #settled = false;

  constructor(phone: Phone | null, keeper: PlaceKeeper) {
    this.phone = phone;
    this.#keeper = keeper;
  }

  /** Records the session and its owner. Throws when it cannot be stored; the place then still has to be cancelled. */
  open(id: string, capabilities: Record<string, unknown>): void {
    if (this.#settled) throw new Error('place already settled');
    this.#keeper.open(id, capabilities);
    this.#settled = true;
  }

  cancel(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#keeper.cancel();
  }
}
