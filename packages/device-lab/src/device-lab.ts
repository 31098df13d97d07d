import type { Clock, Log } from '@svc/auth-core';
import { CommandLog } from './command-log/command-log.ts';
import type { CommandLogStore } from './command-log/entry.ts';
import { maskText, maskValue } from './command-log/mask.ts';
import type { DriverSession, DriverSessionStore } from './driver-session.ts';
import { DriverSessions, type SessionEnd } from './driver-sessions.ts';
import type { PhoneSettingStore } from './phone-settings.ts';
import { type Phone, Phones, type PhoneWish } from './phones.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly commands: CommandLogStore;
  readonly phoneSettings: PhoneSettingStore;
  readonly phones: readonly Phone[];
  /** Running or starting sessions at once; 0: no limit (specification 8.2). */
  readonly maxSessions: number;
  /** Days the command log is kept. */
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whoever runs the sessions: ends one for real. Resolves once it is over, `end` having been told. */
export interface SessionDriver {
  end(id: string, end: SessionEnd): Promise<void>;
}

const LONGEST_REASON = 2_048;

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
  readonly commandLog: CommandLog;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  readonly #listeners: ((ended: DriverSession) => void)[] = [];
  #driver: SessionDriver | undefined;
  #starting = 0;

  constructor(options: DeviceLabOptions) {
    const { clock, log } = options;
    this.sessions = new DriverSessions(options.sessions, clock, log);
    this.phones = new Phones(options.phones, options.phoneSettings);
    this.commandLog = new CommandLog({ ...options, store: options.commands });
    this.#maxSessions = options.maxSessions;
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
    // A driver's last words may quote what it was started with.
    const reason = end.reason === null ? null : maskText(end.reason).slice(0, LONGEST_REASON);
    const session = this.sessions.end(id, { ...end, reason });
    if (session === undefined) return undefined;
    const udid = session.device?.udid;
    if (udid !== undefined && session.node === null) this.phones.release(udid);
    this.commandLog.end(id);
    for (const tell of this.#listeners) tell(session);
    return session;
  }

  /** Told of every end once; must not throw. */
  onEnd(tell: (ended: DriverSession) => void): void {
    this.#listeners.push(tell);
  }

  /** Without one, a session can only be marked as ended (the API without an automation server). */
  drivenBy(driver: SessionDriver): void {
    this.#driver = driver;
  }

  /** Ends a running session on somebody's wish; one that is over already stays as it is. */
  async endForGood(id: string, end: SessionEnd): Promise<void> {
    if (this.sessions.ownerOf(id) === undefined) return;
    if (this.#driver !== undefined) await this.#driver.end(id, end);
    this.end(id, end);
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
      capabilities: maskValue(capabilities) as Record<string, unknown>,
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
