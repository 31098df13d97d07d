import type { Clock } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import type { Admission } from './admission.ts';
import { deviceRequestOf, NoMatchingDevice, requiredViews } from './allocate-device.ts';
import type { SessionApps } from './apps/session-apps.ts';
import type { PhoneCleaner } from './care/cleaning/phone-cleaner.ts';
import { capabilitySets } from './decided/decided-capabilities.ts';
import { type DriverPlace, type DriverPlaces, hasOwnAgent } from './decided/driver-places.ts';
import { capIdleTime } from './decided/idle-cap.ts';
import type { Devices } from './devices.ts';
import type { HeldLeases } from './leases/held-leases.ts';
import { keepView } from './matching/phone-view.ts';
import type { PhoneQueue } from './queue/phone-queue.ts';
import { ClientLeft, type Patience } from './queue/phone-request.ts';
import { placeRequest, reservedInTurn, sessionRequest } from './queue/session-request.ts';
import type { Reservation, Reservations } from './reservations.ts';
import type { SessionLifecycle } from './session-lifecycle.ts';
import type { Shares } from './shares/shares.ts';
import type { SharedPhones } from './sources/adb/shared-phones.ts';
import type { SessionOutcome, StartSession } from './start-session.ts';
import { RunningStarts, StartCancelled, StartTimedOut } from './starts/running-starts.ts';
import { isSoon, reserveSecond } from './starts/second-phone.ts';

interface CreateTools {
  readonly devices: Devices;
  readonly reservations: Reservations;
  readonly queue: PhoneQueue;
  readonly shares: Shares;
  readonly leases: HeldLeases | undefined;
  readonly lifecycle: SessionLifecycle;
  readonly places: DriverPlaces;
  /** Phones that this server shares with others of this host. Absent if it shares none. */
  readonly shared: SharedPhones | undefined;
  /** Resolves references to apps of the library. If absent, sessions cannot refer to such apps. */
  readonly apps: SessionApps | undefined;
  /** Seconds within which a driver must start; 0 means no limit. */
  readonly startSeconds: number;
  /** Maximum of `newCommandTimeout` in seconds; 0 means no limit. */
  readonly maxIdleSeconds: number;
  readonly clock: Clock;
}

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

/** Creates sessions: reserves a device for each request, starts the session on it and records it. */
export class SessionCreates {
  /** Starts of drivers that are not complete. */
  readonly starts: RunningStarts;
  /** What cleans phones between their holders (contract 17.3). Null until it is set. */
  cleaner: PhoneCleaner | null = null;
  readonly #tools: CreateTools;
  readonly #listeners: CreateListener[] = [];

  constructor(tools: CreateTools) {
    this.#tools = tools;
    const { startSeconds: seconds, lifecycle } = tools;
    this.starts = new RunningStarts({ seconds, stop: (session) => lifecycle.drivers.stop(session) });
  }

  /** Adds a listener for the results of creates on the phones of this server. */
  onCreate(listener: CreateListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Checks the body of a create-session request for this server or a node, before a device is reserved. Throws
   * `CreateRefused` if it contains a capability that only the lab decides on (contract 14.1) or names an app that it
   * cannot have. Removes what the lab decides on from legacy capabilities, in place.
   */
  checkBody(body: Readonly<Record<string, unknown>>, admission: Admission): void {
    const { places, apps } = this.#tools;
    places.decided.check(capabilitySets(body), () => this.#hasAgentFor(admission));
    places.decided.dropFromLegacy(body);
    apps?.namedIn(admission, body.capabilities);
  }

  /**
   * Reserves a device like `reserveInTurn`, but does not wait. Throws the errors of `Reservations.reserve`.
   * @param here whether the session must run on this server
   * @param former reservation of the same create, which is given back for the new one; no other request comes between
   */
  reserve(admission: Admission, wanted: unknown, here = false, former?: Reservation): Reservation {
    const { queue, leases, reservations } = this.#tools;
    if (former === undefined) queue.serveWaiting();
    const { caller } = admission;
    const views = requiredViews(admission, wanted);
    const request = deviceRequestOf(admission, views, { here, caller, leases });
    former?.cancel();
    const reservation = reservations.reserve(request, caller?.credential.agent ?? null);
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
    if (admission.fromHub !== undefined) await this.#untilClean(admission.fromHub);
    if (patience.gone === null) return this.reserve(admission, wanted);
    const { queue, leases } = this.#tools;
    const madeFor = JSON.stringify(wanted);
    const views = requiredViews(admission, wanted);
    const requestOf = (caller: Admission['caller']) =>
      deviceRequestOf(admission, views, { here: false, caller, leases });
    const request = sessionRequest(admission, requestOf, this.#tools);
    return Object.assign(await reservedInTurn(queue, request, patience), { madeFor });
  }

  /**
   * Reserves one of the sessions that may run at the same time, but no device, because the grid with the name `node`
   * picks the device itself. Waits in the queue while the session limit is reached. Rejects like `reserveInTurn`.
   */
  async reservePlaceInTurn(node: string, admission: Admission, patience: Patience): Promise<Reservation> {
    const { queue, reservations, shares } = this.#tools;
    const take = () => reservations.reservePlace(node, admission.caller);
    return await reservedInTurn(queue, placeRequest(admission, take, shares), patience);
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
    const reserved = reserveSecond(first.outOf, wanted, this.#tools.devices, (original) =>
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
    const { places, apps: library, devices, shared, maxIdleSeconds, clock } = this.#tools;
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
      if (!isReserved) places.decided.check(capabilitySets(wanted), () => this.#hasAgentFor(admission));
      const apps = library?.namedIn(admission, wanted) ?? null;
      if (reservation === undefined && admission.fromHub !== undefined)
        await this.#untilClean(admission.fromHub);
      if (reservation === undefined || !isReserved)
        reservation = this.reserve(admission, wanted, true, reservation);
      const { device, node, view } = reservation;
      if (view !== null) keepView(wanted, view);
      if (device !== null && node === null && (await shared?.hold(device.udid)) === false)
        throw new NoMatchingDevice('the phone is busy', 'busy');
      if (device !== null) await this.cleaner?.begin(device, admission);
      const hasDevices = !devices.isEmpty;
      if (isRecord(wanted)) place = await places.assign(wanted, { device, node, hasDevices });
      if (isRecord(wanted) && maxIdleSeconds > 0) capIdleTime(wanted, maxIdleSeconds);
      await apps?.place(wanted, node);
      const isLimited = device !== null || node === null;
      const startedAt = clock.now();
      const starting = start({ capabilities: wanted, device, apps });
      const result = await this.starts.run(starting, { device, isLimited, gone });
      if ('refused' in result) {
        if (result.fault !== 'request') this.#tell('refused', reservation, admission);
        giveBack();
        const isPhones = result.fault === 'phone' && isSoon(startedAt, clock.now());
        return { outcome: { refused: result.refused }, outOf: isPhones ? reservation : undefined };
      }
      const started = place === undefined ? result.started : places.follow(result.started, place);
      apps?.hide(started.capabilities);
      const session = await this.#tools.lifecycle.record(reservation, admission, started);
      this.#tell('worked', reservation, admission);
      return { outcome: { session, answer: result.answer } };
    } catch (error) {
      if (error instanceof StartTimedOut) this.#tell('refused', reservation, admission);
      if (error instanceof StartCancelled) void error.settled.then(giveBack);
      else giveBack();
      throw error;
    }
  }

  #tell(result: 'worked' | 'refused', reservation: Reservation | undefined, { caller }: Admission): void {
    const device = reservation?.device ?? null;
    // A node counts the creates on its own phones.
    if (device === null || device.node !== null) return;
    for (const tell of this.#listeners) tell(result, device.udid, caller?.account.id ?? null);
  }

  /** Whether the caller sees a phone whose WebDriverAgent the lab knows. Other phones must not change a response. */
  #hasAgentFor({ maySee }: Admission): boolean {
    return this.#tools.devices.list().some((device) => hasOwnAgent(device) && maySee(device.teamId));
  }

  /** The hub of a node has reserved the phone, and does not know that it is being cleaned. */
  async #untilClean(fromHub: NonNullable<Admission['fromHub']>): Promise<void> {
    await this.cleaner?.cleaned(fromHub.udid, fromHub);
  }
}
