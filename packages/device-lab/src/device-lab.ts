import type { Admission } from './admission.ts';
import { CommandLog } from './command-log/command-log.ts';
import { DriverPlaces } from './decided/driver-places.ts';
import type { Device, OutOfServiceView } from './device.ts';
import type { DeviceLabOptions } from './device-lab-options.ts';
import { Devices } from './devices.ts';
import type { DriverSession, DriverSessionChange } from './driver-session.ts';
import { DriverSessions, type EndRecorder, type SessionEnd } from './driver-sessions.ts';
import { DeviceEvents } from './events/device-events.ts';
import { LabEvents } from './events/lab-events.ts';
import { sessionEvent } from './events/session-events.ts';
import { AgentLimits } from './leases/agent-limits.ts';
import { HeldLeases } from './leases/held-leases.ts';
import { PhoneQueue } from './queue/phone-queue.ts';
import { Reservations } from './reservations.ts';
import type { RunningDrivers } from './running-drivers.ts';
import { SessionCreates } from './session-creates.ts';
import { SessionEnds } from './session-ends.ts';
import { SessionLifecycle } from './session-lifecycle.ts';
import type { SessionRecorder } from './session-recorder.ts';
import { AccountClock } from './shares/account-clock.ts';
import { Shares } from './shares/shares.ts';
import { SharedPhones } from './sources/adb/shared-phones.ts';
import type { DeviceSource } from './sources/device-source.ts';
import type { StartedSession } from './start-session.ts';

const NO_RECORDER: EndRecorder = { transaction: (work) => work(), ended: () => undefined };

/** The device lab of one server, which manages its devices and the sessions on them. */
export class DeviceLab {
  readonly sessions: DriverSessions;
  readonly devices: Devices;
  readonly commandLog: CommandLog;
  readonly agentLimits: AgentLimits;
  readonly shares: Shares;
  readonly accountClock: AccountClock;
  readonly events: LabEvents;
  /** Queue of the create-session and lease requests that wait for a phone. */
  readonly queue: PhoneQueue;
  readonly creates: SessionCreates;
  /** Where the drivers of running sessions run. */
  readonly places: DriverPlaces;
  /** Runs the commands about recordings, such as `svc: pauseRecording`. Null if this server records no sessions. */
  recorder: SessionRecorder | null = null;
  /** Returns, for events about a phone, why it is out of service. */
  outOfService: (udid: string) => OutOfServiceView | null = () => null;
  /** Drivers of the running sessions. */
  readonly drivers: RunningDrivers;
  readonly #deviceEvents: DeviceEvents;
  /** Sessions that were running when the server stopped, and whose ends `start` still has to publish. */
  readonly #leftovers: DriverSession[];
  readonly #sessionDays: () => number;
  readonly #reservations: Reservations;
  readonly #sources: DeviceSource[];
  #isStarted = false;
  readonly #shared: SharedPhones | undefined;
  readonly #leases: HeldLeases | undefined;
  readonly #lifecycle: SessionLifecycle;
  readonly #ends: SessionEnds;
  /** Maximum time in seconds for which a session may be idle, or 0 if there is no limit. */
  readonly maxIdleSeconds: number;

  constructor(options: DeviceLabOptions) {
    const { clock, log, maxSessions } = options;
    this.events = new LabEvents(clock, log);
    this.sessions = new DriverSessions(options.sessions, clock, log, options.endRecorder ?? NO_RECORDER);
    this.agentLimits = new AgentLimits(
      this.sessions,
      clock,
      () => this.#leases?.ofAgents() ?? [],
      options.leases?.store,
    );
    this.accountClock = new AccountClock({
      ...{ store: options.shares?.times, clock, log },
      running: () => this.sessions.running(),
      leases: () => this.#leases?.all() ?? [],
    });
    this.shares = new Shares({
      store: options.shares?.limits,
      accountOf: (id) => options.leases?.stores.accounts.byId(id),
      running: () => this.sessions.running(),
      leases: () => this.#leases?.live().map(({ lease }) => lease) ?? [],
      time: this.accountClock,
    });
    this.devices = new Devices({ settings: options.deviceSettings, clock, log });
    this.#deviceEvents = new DeviceEvents({
      devices: this.devices,
      events: this.events,
      ownerOf: (id) => options.leases?.stores.accounts.byId(id),
      outOfService: (udid) => this.outOfService(udid),
    });
    if (options.leases !== undefined)
      this.#leases = new HeldLeases({ ...options.leases, lab: this, clock, log });
    this.#leases?.onChange((lease) => {
      if (this.#leases?.all().every(({ id }) => id !== lease.id)) this.accountClock.leaseEnded(lease);
    });
    const adb = options.drivers?.adb;
    if (adb !== undefined)
      this.#shared = new SharedPhones({ devices: this.devices, leases: this.#leases, address: adb });
    this.#sources = [...options.sources];
    for (const source of this.#sources) this.devices.expect(source);
    this.commandLog = new CommandLog({
      ...options,
      store: options.commands,
      onCommand: (seen) => {
        options.onCommand?.(seen);
        this.#ends.noteCommand(seen);
      },
      retentionDays: options.retentionDays.commands,
    });
    this.#sessionDays = options.retentionDays.sessions;
    this.places = new DriverPlaces(options.drivers ?? { applies: true, allowed: [] });
    this.#reservations = new Reservations({
      devices: this.devices,
      maxSessions,
      agentLimits: this.agentLimits,
      shares: this.shares,
      running: () => this.sessions.runningCount,
      freed: () => this.queue.wake(),
    });
    this.queue = new PhoneQueue({
      devices: this.devices,
      isFull: () => this.#reservations.isFull,
      events: this.events,
      connections: options.connections,
      clock,
    });
    this.devices.onStatus(() => this.queue.wake());
    this.devices.onChange(() => this.queue.wake());
    const { sessions, devices, queue, commandLog, events } = this;
    this.#lifecycle = new SessionLifecycle({ sessions, devices, queue, commandLog, events, clock, log });
    this.#lifecycle.onEnd((session) => {
      this.agentLimits.sessionEnded(session);
      this.accountClock.sessionEnded(session);
    });
    this.drivers = this.#lifecycle.drivers;
    this.maxIdleSeconds = options.maxIdleSeconds ?? 0;
    this.#ends = new SessionEnds({ lab: this, clock, maxMinutes: options.maxSessionMinutes ?? 0 });
    const { places, shares, maxIdleSeconds } = this;
    this.creates = new SessionCreates({
      ...{ devices, queue, places, shares, maxIdleSeconds, apps: options.apps, clock },
      ...{ reservations: this.#reservations, lifecycle: this.#lifecycle },
      ...{ leases: this.#leases, shared: this.#shared },
      startSeconds: options.startSeconds ?? 0,
    });
    this.#leftovers = this.sessions.closeLeftovers();
    // Sessions on nodes continued while this server was stopped, so their devices stay reserved (contract 8.4).
    for (const { device } of this.sessions.running()) if (device !== null) this.devices.hold(device.udid);
  }

  /** Starts the device sources and publishes the first events. Add listeners before, or they miss these events. */
  start(): void {
    for (const session of this.#leftovers.splice(0))
      this.events.publish(sessionEvent('session_ended', session));
    this.devices.onStatus((device) => this.#deviceEvents.statusChanged(device));
    this.devices.onChange((change, device, source) => {
      this.#deviceEvents.publish(change, device);
      if (change === 'offline' && source.endsSessions) this.#lifecycle.loseSessionsOn(device);
    });
    this.#isStarted = true;
    this.#shared?.start();
    for (const source of this.#sources) this.#startSource(source);
    this.devices.forgetUnlisted();
  }

  /**
   * Adds a source of devices, such as a node. It starts together with the lab, or immediately if the lab has started.
   */
  addSource(source: DeviceSource): void {
    this.#sources.push(source);
    this.devices.expect(source);
    if (this.#isStarted) this.#startSource(source);
  }

  /**
   * Stops a source. Its devices have the status `away` (not connected) from then on. If `endsSessions` of the source is
   * true, sessions on these devices end with the category Session Lost.
   */
  removeSource(source: DeviceSource): void {
    const index = this.#sources.indexOf(source);
    if (index === -1) return;
    this.#sources.splice(index, 1);
    source.stop();
    this.devices.leave(source);
    this.queue.wake();
  }

  #startSource(source: DeviceSource): void {
    source.follow?.(this);
    source.start((devices) => this.devices.report(source, devices));
  }

  get heldLeases(): HeldLeases {
    if (this.#leases === undefined) throw new TypeError('this lab was opened without leases');
    return this.#leases;
  }

  /** Publishes that an Admin has changed the team or tags of a device. `teamBefore` is the id of its previous team. */
  deviceChanged(device: Device, teamBefore: string | null): void {
    this.#deviceEvents.publish('changed', device);
    this.#deviceEvents.moved(device, teamBefore);
    this.queue.wake();
  }

  stop(): void {
    this.queue.close();
    for (const source of this.#sources) source.stop();
    this.#shared?.stop();
    this.devices.tidy();
  }

  /** Manages a session that already runs, such as one that continued on a node while this server was stopped. */
  resumeSession(started: StartedSession): void {
    this.#lifecycle.resume(started);
  }

  /**
   * Ends a running session and its driver. Concurrent calls end the session only once. Ending a finished session has no
   * effect.
   */
  async endSession(id: string, end: SessionEnd): Promise<void> {
    await this.#lifecycle.end(id, end);
  }

  /** Ends the sessions that have reached the maximum time of a session. Call it regularly. */
  sweep(): void {
    this.#ends.sweep();
  }

  /**
   * Ends the session on a device, or the start of one. Resolves when the device is free, or when its driver has not
   * ended in time. Has no effect if the device is free (contract 14.7).
   */
  async releaseDevice(udid: string): Promise<void> {
    if (!this.creates.starts.release(udid)) await this.#ends.release(udid);
  }

  /** Records the end of a session and frees its device. Only the first call for a session has an effect. */
  recordEnd(id: string, end: SessionEnd): DriverSession | undefined {
    return this.#lifecycle.recordEnd(id, end);
  }

  /** Resolves to false if another server of this host, which shares the adb server, holds the phone (contract 14.8). */
  async holdOnHost(udid: string): Promise<boolean> {
    return (await this.#shared?.hold(udid)) ?? true;
  }

  /** Returns the account id of the holder of a device's lease, or undefined if it is not leased. */
  lesseeOf(udid: string): string | undefined {
    return this.#leases?.on(udid)?.lease.ownerId;
  }

  /**
   * Called on a node before its hub uses a phone without a session. Resolves to false if the phone is not clean in
   * time.
   * @param lessee account that holds the phone's lease at the hub, or null if the phone is not leased
   */
  async lendToHub(udid: string, lessee: string | null): Promise<boolean> {
    return (await this.creates.cleaner?.lend(udid, lessee)) ?? true;
  }

  /** Adds a listener that is called once for each session that started. The listener must not throw. */
  onStart(report: (started: DriverSession, admission: Admission) => void): void {
    this.#lifecycle.onStart(report);
  }

  /** Changes the stored record of a session, and publishes the change if there are event listeners. */
  changeSession(id: string, change: DriverSessionChange): void {
    this.#lifecycle.change(id, change);
  }

  /** Adds a listener that is called once for each session that ended. The listener must not throw. */
  onEnd(report: (ended: DriverSession) => void): void {
    this.#lifecycle.onEnd(report);
  }

  /**
   * Removes some of the sessions and commands that are older than their retention time.
   * @returns true if there may be more to remove. If so, call this method again.
   */
  removeOld(): boolean {
    const moreSessions = this.sessions.removeOld(this.#sessionDays());
    const moreCommands = this.commandLog.prune();
    return moreSessions || moreCommands;
  }

  /** Whether a session is starting on a phone that its driver picks. */
  get startsUnassigned(): boolean {
    return this.#reservations.startsUnassigned;
  }
}
