import type { Clock, Log } from '@svc/auth-core';
import { CommandLog } from './command-log/command-log.ts';
import type { CommandLogStore } from './command-log/entry.ts';
import { maskText, maskValue } from './command-log/mask.ts';
import type { DeviceSettingStore } from './device-settings.ts';
import { type Device, type DeviceRequest, Devices } from './devices.ts';
import type { DriverSession, DriverSessionStore } from './driver-session.ts';
import { DriverSessions, type SessionEnd } from './driver-sessions.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly commands: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  readonly devices: readonly Device[];
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
export interface SessionRequest extends DeviceRequest {
  readonly ownerId: string | null;
  readonly healingTiers: readonly number[] | null;
}

/** The lab runs as many sessions as it may. */
export class SessionLimitReached extends Error {
  constructor(most: number) {
    super(`the limit of ${most} sessions at once is reached`);
    this.name = 'SessionLimitReached';
  }
}

/** The device lab of one server: its phones and the sessions on them. */
export class DeviceLab {
  readonly sessions: DriverSessions;
  readonly devices: Devices;
  readonly commandLog: CommandLog;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  readonly #listeners: ((ended: DriverSession) => void)[] = [];
  #driver: SessionDriver | undefined;
  #starting = 0;

  constructor(options: DeviceLabOptions) {
    const { clock, log } = options;
    this.sessions = new DriverSessions(options.sessions, clock, log);
    this.devices = new Devices(options.devices, options.deviceSettings);
    this.commandLog = new CommandLog({ ...options, store: options.commands });
    this.#maxSessions = options.maxSessions;
    this.#clock = clock;
    this.sessions.closeLeftovers();
  }

  /**
   * A place for a session that is about to start, its phone held. Throws `SessionLimitReached` or `NoMatchingDevice`. Whoever gets it
   * must either `open` or `cancel` it.
   */
  reserve(request: SessionRequest): Reservation {
    const taken = this.sessions.runningCount + this.#starting;
    if (this.#maxSessions > 0 && taken >= this.#maxSessions) throw new SessionLimitReached(this.#maxSessions);
    const device = this.devices.isEmpty ? null : this.devices.hold(request);
    this.#starting++;
    return new Reservation(device, {
      open: (id, capabilities) => {
        this.sessions.record(this.#recordOf(id, request, device, capabilities));
        this.#starting--;
      },
      cancel: () => {
        this.#starting--;
        if (device !== null) this.devices.release(device.udid);
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
    if (udid !== undefined && session.node === null) this.devices.release(udid);
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
    device: Device | null,
    capabilities: Record<string, unknown>,
  ): DriverSession {
    return {
      id,
      name: null,
      status: 'running',
      ownerId: request.ownerId,
      device: device === null ? null : { udid: device.udid, name: device.name, platform: device.platform },
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
export class Reservation {
  readonly device: Device | null;
  readonly #keeper: PlaceKeeper;
  #settled = false;

  constructor(device: Device | null, keeper: PlaceKeeper) {
    this.device = device;
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
