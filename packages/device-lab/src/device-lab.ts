import type { Clock } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import type { Admission } from './admission.ts';
import { NoMatchingDevice } from './allocate-device.ts';
import type { SessionApps } from './apps/session-apps.ts';
import type { PhoneCleaner } from './care/cleaning/phone-cleaner.ts';
import { CommandLog } from './command-log/command-log.ts';
import { capabilitySets } from './decided/capability-sets.ts';
import { type DriverPlace, DriverPlaces, hasOwnAgent, inPlace } from './decided/driver-places.ts';
import { capIdleTime } from './decided/idle-cap.ts';
import type { Device, OutOfServiceView } from './device.ts';
import type { DeviceLabOptions } from './device-lab-options.ts';
import { deviceRequestOf, requiredViews } from './device-request.ts';
import { Devices } from './devices.ts';
import type { DriverSession, DriverSessionChange } from './driver-session.ts';
import { DriverSessions, type EndRecorder, type SessionEnd } from './driver-sessions.ts';
import { DeviceEvents } from './events/device-events.ts';
import { LabEvents } from './events/lab-events.ts';
import { sessionEvent } from './events/session-events.ts';
import { AgentLimits } from './leases/agent-limits.ts';
import { HeldLeases } from './leases/held-leases.ts';
import { keepView } from './matching/phone-view.ts';
import { PhoneQueue } from './queue/phone-queue.ts';
import { ClientLeft, type Patience } from './queue/phone-request.ts';
import { placeRequest, reservedInTurn, sessionRequest } from './queue/session-request.ts';
import { type Reservation, Reservations } from './reservations.ts';
import { SessionEnds } from './session-ends.ts';
import { SessionLifecycle } from './session-lifecycle.ts';
import type { SessionRecorder } from './session-recorder.ts';
import { AccountClock } from './shares/account-clock.ts';
import { Shares } from './shares/shares.ts';
import { SharedPhones } from './sources/adb/shared-phones.ts';
import type { DeviceSource } from './sources/device-source.ts';
import type { DeviceInput, SessionOutcome, StartedSession, StartSession } from './start-session.ts';
import { RunningStarts, StartCancelled, StartTimedOut } from './starts/running-starts.ts';
import { isSoon, reserveSecond } from './starts/second-phone.ts';

interface CreateCircumstances {
  /** Reservation that `reserveInTurn` made for the request. Absent if the lab still has to reserve a device. */
  readonly reserved?: Reservation | undefined;
  /** Aborted when the client has disconnected. */
  readonly gone?: AbortSignal | undefined;
}

interface Attempt<A> {
  readonly outcome: SessionOutcome<A>;
  /** Reservation of the phone for whose sake the driver refused the session, if another phone may be tried. */
  readonly outOf?: Reservation | undefined;
}

/**
 * Listener for the results of creates on the phones of this server. It is called before a refused phone is free again,
 * and must not throw.
 */
type CreateListener = (result: 'worked' | 'refused', udid: string, ownerId: string | null) => void;

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
  readonly #deviceEvents: DeviceEvents;
  readonly #apps: SessionApps | undefined;
  /** Sessions that were running when the server stopped, and whose ends `start` still has to publish. */
  readonly #leftovers: DriverSession[];
  readonly #sessionDays: () => number;
  readonly #reservations: Reservations;
  readonly #sources: DeviceSource[];
  #isStarted = false;
  readonly #shared: SharedPhones | undefined;
  readonly #leases: HeldLeases | undefined;
  readonly #lifecycle: SessionLifecycle;
  readonly #places: DriverPlaces;
  readonly #starts: RunningStarts;
  readonly #ends: SessionEnds;
  /** Maximum time in seconds for which a session may be idle, or 0 if there is no limit. */
  readonly maxIdleSeconds: number;
  /** MJPEG ports that the lab gave, by the ids of the running sessions. */
  readonly #mjpegPorts = new Map<string, number>();
  #recorder: SessionRecorder | null = null;
  readonly #clock: Clock;
  readonly #createListeners: CreateListener[] = [];
  #cleaner: PhoneCleaner | null = null;
  #outOfService: (udid: string) => OutOfServiceView | null = () => null;

  constructor(options: DeviceLabOptions) {
    const { clock, log, maxSessions } = options;
    this.#clock = clock;
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
      outOfService: (udid) => this.#outOfService(udid),
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
    this.#places = new DriverPlaces(options.drivers ?? { applies: true, allowed: [] });
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
      this.#mjpegPorts.delete(session.id);
    });
    this.maxIdleSeconds = options.maxIdleSeconds ?? 0;
    this.#ends = new SessionEnds({
      lab: this,
      clock,
      maxMinutes: options.maxSessionMinutes ?? 0,
    });
    this.#starts = new RunningStarts({
      seconds: options.startSeconds ?? 0,
      stop: (session) => this.#lifecycle.drivers.stop(session),
    });
    this.#apps = options.apps;
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

  /**
   * Checks the body of a create-session request for this server or a node, before a device is reserved. Throws
   * `CreateRefused` if it contains a capability that only the lab decides on (contract 14.1) or names an app that it
   * cannot have. Removes what the lab decides on from legacy capabilities, in place.
   */
  checkBody(body: Readonly<Record<string, unknown>>, admission: Admission): void {
    this.#places.decided.check(capabilitySets(body), () => this.#hasAgentFor(admission.maySee));
    this.#places.decided.dropFromLegacy(body);
    this.#apps?.namedIn(admission, body.capabilities);
  }

  /**
   * Reserves a device like `reserveInTurn`, but does not wait. Throws the errors of `Reservations.reserve`.
   * @param here whether the session must run on this server
   * @param former reservation of the same create, which is given back for the new one; no other request comes between
   */
  reserve(admission: Admission, wanted: unknown, here = false, former?: Reservation): Reservation {
    if (former === undefined) this.queue.serveWaiting();
    const { caller } = admission;
    const request = deviceRequestOf(admission, requiredViews(admission, wanted), {
      here,
      caller,
      leases: this.#leases,
    });
    former?.cancel();
    const reservation = this.#reservations.reserve(request, caller?.credential.agent ?? null);
    reservation.waitedMs = former?.waitedMs ?? 0;
    reservation.madeFor = JSON.stringify(wanted);
    return reservation;
  }

  /**
   * Reserves a device of this server or of a node. Waits in the queue if `patience` allows it, and on a node until the
   * phone of its hub is clean. The caller must pass the reservation to `createSession` or abandon it. If the request
   * does not wait, or still has no device when its time is over, rejects with an error of `Reservations.reserve`. If
   * the wait ends earlier, rejects like `PhoneQueue.take`.
   */
  async reserveInTurn(admission: Admission, wanted: unknown, patience: Patience): Promise<Reservation> {
    await this.#untilClean(admission);
    if (patience.gone === null) return this.reserve(admission, wanted);
    const madeFor = JSON.stringify(wanted);
    const views = requiredViews(admission, wanted);
    const requestOf = (caller: Admission['caller']) =>
      deviceRequestOf(admission, views, { here: false, caller, leases: this.#leases });
    const request = sessionRequest(admission, requestOf, {
      reservations: this.#reservations,
      devices: this.devices,
      shares: this.shares,
    });
    return Object.assign(await reservedInTurn(this.queue, request, patience), { madeFor });
  }

  /**
   * Reserves one of the sessions that may run at the same time, but no device, because the grid with the name `node`
   * picks the device itself. Waits in the queue while the session limit is reached. Rejects like `reserveInTurn`.
   */
  async reservePlaceInTurn(node: string, admission: Admission, patience: Patience): Promise<Reservation> {
    const { caller } = admission;
    const take = () => this.#reservations.reservePlace(node, caller);
    const request = placeRequest(admission, take, this.shares);
    return await reservedInTurn(this.queue, request, patience);
  }

  /** Manages a session that already runs, such as one that continued on a node while this server was stopped. */
  resumeSession(started: StartedSession): void {
    this.#lifecycle.resume(started);
  }

  /**
   * Reserves a device, starts a session on it, and records the session with its owner before the client gets its id.
   * `wanted` contains the W3C capabilities of the client without credentials; only the view that fits the device stays
   * in this object, the udid of the device and the download addresses of library apps are written into it, and what
   * only the lab decides on is replaced (contract 14.1). Without `reserved`, the session runs on this server. `gone` is
   * aborted when the client has disconnected.
   *
   * Throws `CreateRefused`, the errors of `Reservations.reserve` and
   * `RunningStarts.run`, `SessionNotRecorded`, or the error of `start`. After an error, the device is free again,
   * unless the driver is still starting: the device is then free as soon as the driver has settled (contract 14.7).
   *
   * If the driver soon refuses the session for a reason of the device, one other device that fits is tried, with the
   * same `start` (contract 17.2).
   */
  async createSession<A>(
    admission: Admission,
    wanted: unknown,
    start: StartSession<A>,
    circumstances: CreateCircumstances = {},
  ): Promise<SessionOutcome<A>> {
    const first = await this.#createOnce(admission, wanted, start, circumstances);
    if (first.outOf === undefined) return first.outcome;
    // A hub has chosen the phone of its create, and may have another one.
    if (circumstances.gone?.aborted === true || admission.fromHub !== undefined || !isRecord(wanted))
      return first.outcome;
    const reserved = reserveSecond(first.outOf, wanted, this.devices, (original) =>
      this.reserve(admission, original, true),
    );
    if (reserved === null) return first.outcome;
    return (await this.#createOnce(admission, wanted, start, { ...circumstances, reserved })).outcome;
  }

  async #createOnce<A>(
    admission: Admission,
    wanted: unknown,
    start: StartSession<A>,
    { reserved, gone }: CreateCircumstances,
  ): Promise<Attempt<A>> {
    let reservation = reserved?.claim() === true ? reserved : undefined;
    // Start no session if the client has disconnected, because its device was freed and may already be in use by
    // another request (contract 13).
    if (reserved?.isAbandoned === true) throw new ClientLeft();
    let place: DriverPlace | undefined;
    const giveBack = (): void => {
      place?.release();
      reservation?.cancel();
    };
    try {
      const isReserved = reservation?.isFor(wanted) === true;
      if (!isReserved)
        this.#places.decided.check(capabilitySets(wanted), () => this.#hasAgentFor(admission.maySee));
      const apps = this.#apps?.namedIn(admission, wanted) ?? null;
      if (reservation === undefined) await this.#untilClean(admission);
      if (reservation === undefined || !isReserved)
        reservation = this.reserve(admission, wanted, true, reservation);
      const { device, node, view } = reservation;
      if (view !== null) keepView(wanted, view);
      if (device !== null && node === null && !(await this.holdOnHost(device.udid)))
        throw new NoMatchingDevice('the phone is busy', 'busy');
      if (device !== null) await this.#cleaner?.begin(device, admission);
      const hasDevices = !this.devices.isEmpty;
      if (isRecord(wanted)) place = await this.#places.assign(wanted, { device, node, hasDevices });
      if (isRecord(wanted) && this.maxIdleSeconds > 0) capIdleTime(wanted, this.maxIdleSeconds);
      await apps?.place(wanted, node);
      const run = () => start({ capabilities: wanted, device, apps });
      const isLimited = device !== null || node === null;
      const startedAt = this.#clock.now();
      const result = await this.#starts.run(run, { device, isLimited, gone });
      if ('refused' in result) {
        if (result.fault !== 'request') this.#tellCreate('refused', reservation, admission);
        giveBack();
        const isPhones = result.fault === 'phone' && isSoon(startedAt, this.#clock.now());
        return { outcome: { refused: result.refused }, outOf: isPhones ? reservation : undefined };
      }
      const { answer } = result;
      const started = place === undefined ? result.started : inPlace(result.started, place);
      apps?.hide(started.capabilities);
      const session = await this.#record(reservation, admission, started, place);
      this.#tellCreate('worked', reservation, admission);
      return { outcome: { session, answer } };
    } catch (error) {
      if (error instanceof StartTimedOut) this.#tellCreate('refused', reservation, admission);
      if (error instanceof StartCancelled) void error.settled.then(giveBack);
      else giveBack();
      throw error;
    }
  }

  #tellCreate(
    result: 'worked' | 'refused',
    reservation: Reservation | undefined,
    { caller }: Admission,
  ): void {
    const device = reservation?.device ?? null;
    // A node counts the creates on its own phones.
    if (device === null || device.node !== null) return;
    for (const tell of this.#createListeners) tell(result, device.udid, caller?.account.id ?? null);
  }

  async #record(
    reservation: Reservation,
    admission: Admission,
    started: StartedSession,
    place: DriverPlace | undefined,
  ): Promise<DriverSession> {
    const port = place?.mjpegPort ?? null;
    // Listeners of the start already look for the preview, so set the port before.
    if (port !== null) this.#mjpegPorts.set(started.id, port);
    try {
      return await this.#lifecycle.record(reservation, admission, started);
    } catch (error) {
      this.#mjpegPorts.delete(started.id);
      throw error;
    }
  }

  /**
   * Returns the port of this host at which the driver of a running session shows the screen of its device, or null if
   * the lab gave it no such port (contract 14.2).
   */
  mjpegPortOf(sessionId: string): number | null {
    return this.#mjpegPorts.get(sessionId) ?? null;
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
    if (!this.#starts.release(udid)) await this.#ends.release(udid);
  }

  /** Records the end of a session and frees its device. Only the first call for a session has an effect. */
  recordEnd(id: string, end: SessionEnd): DriverSession | undefined {
    return this.#lifecycle.recordEnd(id, end);
  }

  /** Returns the recorder of this server, or null if this server records no sessions. */
  get recorder(): SessionRecorder | null {
    return this.#recorder;
  }

  /** Sets the recorder that runs the commands about recordings, such as `svc: pauseRecording`. */
  recordWith(recorder: SessionRecorder): void {
    this.#recorder = recorder;
  }

  /** Resolves to false if another server of this host, which shares the adb server, holds the phone (contract 14.8). */
  async holdOnHost(udid: string): Promise<boolean> {
    return (await this.#shared?.hold(udid)) ?? true;
  }

  /** Sets what tells, for events about a phone, why it is out of service. */
  explainWith(outOfService: (udid: string) => OutOfServiceView | null): void {
    this.#outOfService = outOfService;
  }

  /** Sets what cleans phones between their holders (contract 17.3). */
  cleanWith(cleaner: PhoneCleaner): void {
    this.#cleaner = cleaner;
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
    return (await this.#cleaner?.lend(udid, lessee)) ?? true;
  }

  /** Adds a listener that is called once for each session that started. The listener must not throw. */
  onStart(report: (started: DriverSession, admission: Admission) => void): void {
    this.#lifecycle.onStart(report);
  }

  /** Changes the stored record of a session, and publishes the change if there are event listeners. */
  changeSession(id: string, change: DriverSessionChange): void {
    this.#lifecycle.change(id, change);
  }

  /** Adds a listener for the results of creates on the phones of this server. */
  onCreate(listener: CreateListener): void {
    this.#createListeners.push(listener);
  }

  /** Adds a listener that is called once for each session that ended. The listener must not throw. */
  onEnd(report: (ended: DriverSession) => void): void {
    this.#lifecycle.onEnd(report);
  }

  /** Restarts the idle time-out of a session after a command or input that the session's driver did not handle. */
  async keepAlive(id: string): Promise<void> {
    await this.#lifecycle.drivers.keepAlive(id);
  }

  /**
   * Sends the driver of a session a command that changes nothing.
   * @returns the error message of the driver, or undefined if there is none
   */
  async probe(id: string): Promise<string | undefined> {
    return await this.#lifecycle.drivers.probe(id);
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

  /** Puts an input into a device. Rejects with `InputFailed` if the driver rejects it or the session has ended. */
  async input(id: string, input: DeviceInput): Promise<void> {
    await this.#lifecycle.drivers.input(id, input);
  }

  /** Whether a session is starting on a phone that its driver picks. */
  get startsUnassigned(): boolean {
    return this.#reservations.startsUnassigned;
  }

  /** Whether the caller sees a phone whose WebDriverAgent the lab knows. Other phones must not change a response. */
  #hasAgentFor(maySee: Admission['maySee']): boolean {
    return this.devices.list().some((device) => hasOwnAgent(device) && maySee(device.teamId));
  }

  /** The hub of a node has reserved the phone, and does not know that it is being cleaned. */
  async #untilClean({ fromHub }: Admission): Promise<void> {
    if (fromHub !== undefined) await this.#cleaner?.cleaned(fromHub.udid, fromHub);
  }
}
