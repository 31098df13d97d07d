import type { Clock, Log } from '@svc/auth-core';
import type { Admission } from './admission.ts';
import type { SessionApps } from './apps/session-apps.ts';
import { CommandLog } from './command-log/command-log.ts';
import type { CommandLogStore, ObservedCommand } from './command-log/entry.ts';
import { maskText } from './command-log/mask.ts';
import type { Device } from './device.ts';
import { assignDevice, requestedDevice } from './device-capabilities.ts';
import type { DeviceSettingStore } from './device-settings.ts';
import { Devices } from './devices.ts';
import type { DriverSession, DriverSessionChange, DriverSessionStore } from './driver-session.ts';
import { DriverSessions, type EndRecorder, type SessionEnd } from './driver-sessions.ts';
import { DeviceEvents } from './events/device-events.ts';
import { LabEvents } from './events/lab-events.ts';
import { sessionEvent } from './events/session-events.ts';
import { HeldLeases, type HeldLeasesTools } from './leases/held-leases.ts';
import { NO_CLAIMS } from './leases/lease.ts';
import { type Reservation, Reservations } from './reservations.ts';
import { RunningDrivers } from './running-drivers.ts';
import { sessionRecord } from './session-record.ts';
import type { DeviceSource, LabSessions } from './sources/device-source.ts';
import type { DeviceInput, StartedSession, StartSession } from './start-session.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly commands: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  /** Leased devices go to their holders; if absent, no device is leased. */
  readonly leases?: Omit<HeldLeasesTools, 'lab' | 'clock' | 'log'>;
  /** Where its devices come from; none: sessions run on whatever their driver picks. */
  readonly sources: readonly DeviceSource[];
  /** Running or starting sessions at once, asked at each create; below 1: no limit (specification 8.2). */
  readonly maxSessions: () => number;
  /** Days they are kept, as it is set now. */
  readonly retentionDays: {
    readonly commands: () => number;
    /** Records of sessions, after their end. */
    readonly sessions: () => number;
  };
  /** Absent: sessions name no apps of the library. */
  readonly apps?: SessionApps;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each command of a session as it is answered, on the command's way: returns at once. */
  readonly onCommand?: (seen: ObservedCommand) => void;
  /** Absent: every store writes for itself, and nobody is told. */
  readonly endRecorder?: EndRecorder;
}

const NO_RECORDER: EndRecorder = { transaction: (work) => work(), ended: () => undefined };

/** The session ran but could not be stored with its owner; it has been ended (specification 5.4.5). */
export class SessionNotRecorded extends Error {
  constructor(options: ErrorOptions) {
    super('the session could not be recorded', options);
    this.name = 'SessionNotRecorded';
  }
}

/** The record of a new session with the answer of its start, or the answer of a start that refused it. */
export type SessionOutcome<A> =
  | { readonly session: DriverSession; readonly answer: A }
  | { readonly refused: A };

const LONGEST_REASON = 2_048;

/** The device lab of one server: its devices and the sessions on them. */
export class DeviceLab {
  readonly sessions: DriverSessions;
  readonly devices: Devices;
  readonly commandLog: CommandLog;
  readonly events: LabEvents;
  readonly #deviceEvents: DeviceEvents;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #apps: SessionApps | undefined;
  /** What ran when the server went down, until its end is told. */
  readonly #leftovers: DriverSession[];
  readonly #sessionDays: () => number;
  readonly #reservations: Reservations;
  readonly #sources: readonly DeviceSource[];
  readonly #leases: HeldLeases | undefined;
  readonly #drivers: RunningDrivers;
  readonly #startListeners: ((started: DriverSession) => void)[] = [];
  readonly #listeners: ((ended: DriverSession) => void)[] = [];

  constructor(options: DeviceLabOptions) {
    const { clock, log, maxSessions } = options;
    this.events = new LabEvents(clock, log);
    this.sessions = new DriverSessions(options.sessions, clock, log, options.endRecorder ?? NO_RECORDER);
    this.devices = new Devices({ settings: options.deviceSettings, clock, log });
    this.#deviceEvents = new DeviceEvents(this.devices, this.events);
    if (options.leases !== undefined)
      this.#leases = new HeldLeases({ ...options.leases, lab: this, clock, log });
    this.#sources = options.sources;
    for (const source of this.#sources) this.devices.expect(source);
    this.commandLog = new CommandLog({
      ...options,
      store: options.commands,
      retentionDays: options.retentionDays.commands,
    });
    this.#sessionDays = options.retentionDays.sessions;
    this.#reservations = new Reservations({
      devices: this.devices,
      maxSessions,
      running: () => this.sessions.runningCount,
    });
    this.#drivers = new RunningDrivers(log);
    this.#apps = options.apps;
    this.#clock = clock;
    this.#log = log;
    this.#leftovers = this.sessions.closeLeftovers();
    // What runs on nodes goes on, on its device (contract 8.4).
    for (const { device } of this.sessions.running()) if (device !== null) this.devices.hold(device.udid);
  }

  /** Its devices come in from now on. Whoever wants to hear of them listens already. */
  start(): void {
    for (const session of this.#leftovers.splice(0))
      this.events.publish(sessionEvent('session_ended', session));
    this.devices.onStatus((device) => this.#deviceEvents.statusChanged(device));
    this.devices.onChange((change, device, source) => {
      this.#deviceEvents.publish(change, device);
      if (change === 'offline' && source.endsSessions) this.#loseSessionsOn(device);
    });
    const sessions: LabSessions = {
      running: () => this.sessions.running(),
      onStart: (report) => this.onStart(report),
      onEnd: (report) => this.onEnd(report),
    };
    for (const source of this.#sources) {
      source.follow?.(sessions);
      source.start((devices) => this.devices.report(source, devices));
    }
    this.devices.forgetUnlisted();
  }

  get heldLeases(): HeldLeases {
    if (this.#leases === undefined) throw new TypeError('this lab was opened without leases');
    return this.#leases;
  }

  /** An Admin changed its team or tags, and that is stored. `teamBefore`: id of the team it was given until then. */
  deviceChanged(device: Device, teamBefore: string | null): void {
    this.#deviceEvents.publish('changed', device);
    this.#deviceEvents.moved(device, teamBefore);
  }

  stop(): void {
    for (const source of this.#sources) source.stop();
    this.devices.tidy();
  }

  /**
   * Reserves a device, of this server or a node's, for a create that follows: `createSession` claims it, or it is to be
   * abandoned. Throws `SessionLimitReached` or `NoMatchingDevice`.
   */
  reserve(admission: Admission, wanted: unknown): Reservation {
    return this.#reserve(admission, wanted, false);
  }

  /** As `reserve`, for a session whose device somebody else picks: a grid of that name. Throws `SessionLimitReached`. */
  reservePlace(node: string): Reservation {
    return this.#reservations.reservePlace(node);
  }

  /** A session that went on while this server was stopped. */
  resumeSession(started: StartedSession): void {
    this.#drivers.add(started, (end) => this.recordEnd(started.id, end));
  }

  /**
   * Reserves a device, starts a session on it and records it with its owner before anybody learns of it. `wanted`:
   * the W3C capabilities the client sent, credentials removed; the device is put into them in place, and last the
   * addresses of the library apps they name. Throws `AppNotAvailable`, `SessionLimitReached`, `NoMatchingDevice`,
   * `SessionNotRecorded`, or what `start` rejects with; the device is free again then. Without `reserved` it runs on
   * this server.
   */
  async createSession<A>(
    admission: Admission,
    wanted: unknown,
    start: StartSession<A>,
    reserved?: Reservation,
  ): Promise<SessionOutcome<A>> {
    let reservation = reserved?.claim() === true ? reserved : undefined;
    try {
      const apps = this.#apps?.namedIn(admission, wanted) ?? null;
      reservation ??= this.#reserve(admission, wanted, true);
      const { device, node } = reservation;
      if (device !== null) assignDevice(wanted as Record<string, unknown>, device.udid);
      await apps?.place(wanted, node);
      const result = await start({ capabilities: wanted, device, apps });
      if ('refused' in result) return result;
      const { started, answer } = result;
      apps?.hide(started.capabilities);
      return { session: await this.#record(reservation, admission, started), answer };
    } finally {
      reservation?.cancel();
    }
  }

  /** Ends a running session and its driver, once under concurrent calls. No effect on one that is over. */
  async endSession(id: string, end: SessionEnd): Promise<void> {
    await this.#drivers.end(id, () => this.recordEnd(id, end));
  }

  /** Files the end of a session and frees its device. The first end counts, further ones change nothing. */
  recordEnd(id: string, end: SessionEnd): DriverSession | undefined {
    // A driver's message may quote what it was started with.
    const reason = end.reason === null ? null : maskText(end.reason).slice(0, LONGEST_REASON);
    const session = this.sessions.end(id, { ...end, reason });
    if (session === undefined) return undefined;
    this.#drivers.forget(id);
    if (session.device !== null) this.devices.release(session.device.udid);
    this.commandLog.end(id);
    for (const report of this.#listeners) report(session);
    this.events.publish(sessionEvent('session_ended', session));
    return session;
  }

  /** Called once for each session that started; must not throw. */
  onStart(report: (started: DriverSession) => void): void {
    this.#startListeners.push(report);
  }

  /** Changes the record of a session. */
  changeSession(id: string, change: DriverSessionChange): void {
    this.sessions.change(id, change);
    if (!this.events.isHeard) return;
    const session = this.sessions.byId(id);
    if (session !== undefined) this.events.publish(sessionEvent('session_changed', session));
  }

  /** Called once for each session that ended; must not throw. */
  onEnd(report: (ended: DriverSession) => void): void {
    this.#listeners.push(report);
  }

  /** A command of this session was answered here, in its driver's place. */
  async keepAlive(id: string): Promise<void> {
    await this.#drivers.keepAlive(id);
  }

  /** Removes some of the sessions and commands that are older than their retention; true: there is more. */
  removeOld(): boolean {
    const moreSessions = this.sessions.removeOld(this.#sessionDays());
    const moreCommands = this.commandLog.prune();
    return moreSessions || moreCommands;
  }

  /** Rejects with `InputFailed`, also for a session that is over. */
  async input(id: string, input: DeviceInput): Promise<void> {
    await this.#drivers.input(id, input);
  }

  /** Filed at once: the driver of a device that is gone may take long to notice, and is still ended. */
  #loseSessionsOn({ udid }: Device): void {
    for (const { id, device } of this.sessions.running()) {
      if (device?.udid === udid && this.#drivers.startEnding(id))
        this.recordEnd(id, { category: 'Session Lost', reason: 'the phone was disconnected' });
    }
  }

  #reserve(admission: Admission, wanted: unknown, here: boolean): Reservation {
    const { caller, lease, teamId, maySee, fromHub } = admission;
    const { udid, platform } = requestedDevice(wanted);
    // The hub has the leases of its nodes' devices.
    const claims = fromHub === undefined ? this.#leases : undefined;
    const claimOn = claims?.claimsOf(caller?.account.id ?? null, lease) ?? NO_CLAIMS;
    return this.#reservations.reserve({
      udid: fromHub?.udid ?? udid,
      platform,
      teamId,
      maySee,
      here,
      claimOn,
    });
  }

  async #record(
    reservation: Reservation,
    admission: Admission,
    started: StartedSession,
  ): Promise<DriverSession> {
    const record = sessionRecord(started, admission, reservation.device, this.#clock.now());
    try {
      this.sessions.record(record);
    } catch (error) {
      const fields = { session: started.id, request: admission.requestId, cause: String(error) };
      this.#log.error('A session could not be recorded and is ended', fields);
      await this.#drivers.stop(started);
      throw new SessionNotRecorded({ cause: error });
    }
    reservation.confirm();
    this.resumeSession(started);
    for (const report of this.#startListeners) report(record);
    this.events.publish(sessionEvent('session_started', record));
    const { device } = reservation;
    // It went while the session started. What became of one on a node, the node says.
    const isGone = device !== null && this.devices.statusOf(device.udid) === 'away';
    if (isGone && started.node === undefined) this.#loseSessionsOn(device);
    const { requestId, lacksCredentials } = admission;
    const request = requestId == null ? {} : { request: requestId };
    if (lacksCredentials)
      this.#log.warn('Session created without valid credentials', { session: record.id, ...request });
    else
      this.#log.info('Session created', { session: record.id, owner: record.ownerId ?? 'none', ...request });
    return record;
  }
}
