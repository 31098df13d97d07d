import { type Audit, actorOf, type Caller, type Clock, type Log, Refusal, type Stores } from '@svc/auth-core';
import type { ObservedCommand } from '../command-log/entry.ts';
import type { Device } from '../device.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { DriverSession } from '../driver-session.ts';
import type { Lease } from '../leases/lease.ts';
import {
  type DirectInput,
  type DirectInputs,
  directInputNote,
  InputUnsupported,
} from '../sources/direct-input.ts';
import { type DeviceInput, InputFailed } from '../start-session.ts';
import { refusalToDrive } from '../visibility/drive-session.ts';
import { maySeeDevice } from '../visibility/see-device.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'heldLeases' | 'drivers' | 'commandLog'>;
  /** Inputs into devices on which no session runs. */
  readonly direct: DirectInputs;
  readonly stores: Pick<Stores, 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

const UTF8 = new TextEncoder();

/**
 * What allows a caller to use a device: a session that the caller may drive, or the caller's lease of a device on which
 * no session runs.
 */
type Right = { readonly session: DriverSession } | { readonly lease: Lease };

/**
 * Lets people type text, tap, and set the clipboard on a device. While a session runs on it, the caller must be allowed
 * to drive this session (contract 2). Otherwise the caller must hold the lease of the device, and the lab puts the input
 * into the device without a session.
 */
export class DeviceControl {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Returns a device that the caller may see. Throws `not_found` if the device is unknown or hidden from the caller.
   */
  seen(caller: Caller, udid: string): Device {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined) throw new Refusal('not_found', 'unknown device');
    if (!maySeeDevice(caller, device.teamId)) throw new Refusal('not_found', 'device of another team');
    return device;
  }

  /**
   * Puts an input into a device. Before that, writes an audit row, which does not contain the typed text. Throws
   * `not_found` if the caller is not allowed to see the device, `device_not_yours` if the caller is not allowed to use
   * it, `unsupported_input` if the device does not accept this input, or `driver_failed` if it does not carry it out.
   */
  async input(caller: Caller, udid: string, input: DirectInput): Promise<void> {
    const right = this.#rightTo(caller, udid);
    if ('lease' in right) {
      this.#record(caller, udid, `${directInputNote(input)}, lease ${right.lease.id}`);
      await this.#putDirectly(udid, input, () => this.#checkLease(caller, udid, right.lease));
      return;
    }
    const { session } = right;
    checkForSession(input);
    this.#record(caller, udid, `${directInputNote(input)}, session ${session.id}`);
    await this.#putLogged(session, udid, input);
  }

  /**
   * Puts an input into a device of this node at the request of its hub. The hub has checked the caller, and writes the
   * command log and the audit trail. Throws `device_not_yours` if the session that the hub names does not run on the
   * device, or if the hub names none and the device is in use. Otherwise throws like `input`.
   */
  async inputForHub(udid: string, sessionId: string | null, input: DirectInput): Promise<void> {
    if (sessionId === null) {
      await this.#putDirectly(udid, input, () => this.#checkUnused(udid));
      return;
    }
    const session = this.#tools.lab.sessions.runningOn(udid);
    if (session === undefined || session.id !== sessionId || session.node !== null)
      throw new Refusal('device_not_yours', 'the session does not run on the device');
    checkForSession(input);
    await this.#handled(udid, () => this.#putInto(session, udid, input));
  }

  /**
   * Returns whether the holder of the device's lease can use it without a session. True for a device that is in use,
   * because its session may end.
   */
  offersDirectInput(device: Device): boolean {
    return this.#tools.lab.devices.statusOf(device.udid) !== 'away' && this.#tools.direct.offers(device);
  }

  #record(caller: Caller, udid: string, reason: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) =>
      audit.record(tx, 'device_input', { ...actorOf(caller), target: udid, reason }),
    );
  }

  /** Puts an input into a session, and adds it to the session's command log. */
  async #putLogged(session: DriverSession, udid: string, input: DeviceInput): Promise<void> {
    const { lab, clock } = this.#tools;
    const at = clock.now();
    let status = 204;
    try {
      await this.#handled(udid, () => this.#putInto(session, udid, input));
    } catch (error) {
      status = 502;
      throw error;
    } finally {
      // Add the input to the command log, which masks the typed text in later responses of the device.
      lab.commandLog.add(observed(session, udid, input, { at, status, durationMs: clock.now() - at }));
    }
  }

  async #putDirectly(udid: string, input: DirectInput, check: () => void): Promise<void> {
    check();
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined) throw new Refusal('not_found', 'unknown device');
    await this.#handled(udid, () => this.#tools.direct.put(device, input, check));
  }

  async #handled(udid: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof InputFailed)) throw error;
      const { message } = error;
      if (error instanceof InputUnsupported) throw new Refusal('unsupported_input', message, { message });
      this.#tools.log.warn(`A device rejected an input: ${message}`, { device: udid });
      throw new Refusal('driver_failed', message);
    }
  }

  async #putInto(session: DriverSession, udid: string, input: DeviceInput): Promise<void> {
    const { lab } = this.#tools;
    const drive = () => lab.drivers.input(session.id, input);
    const source = lab.devices.sourceOf(udid);
    if (source?.input === undefined) await drive();
    else await source.input(udid, input, { drive, keepAlive: () => lab.drivers.keepAlive(session.id) });
  }

  /**
   * Throws `not_found` if the device is hidden from the caller, or `device_not_yours` if the caller has no right to use
   * it.
   */
  #rightTo(caller: Caller, udid: string): Right {
    const device = this.seen(caller, udid);
    const session = this.#tools.lab.sessions.runningOn(udid);
    if (session !== undefined) {
      const refused = refusalToDrive(caller, session.ownerId);
      if (refused !== null) throw new Refusal('device_not_yours', refused);
      return { session };
    }
    if (!this.offersDirectInput(device))
      throw new Refusal('device_not_yours', 'no session runs on the device');
    this.#checkUnused(udid);
    const held = this.#tools.lab.heldLeases.on(udid);
    if (held === undefined || held.owner.id !== caller.account.id)
      throw new Refusal(
        'device_not_yours',
        "no session runs on the device, and its lease is not the caller's",
      );
    return { lease: held.lease };
  }

  /** Throws `device_not_yours` unless the caller still has this lease and no session runs or starts on the device. */
  #checkLease(caller: Caller, udid: string, lease: Lease): void {
    this.#checkUnused(udid);
    const held = this.#tools.lab.heldLeases.on(udid);
    if (held?.lease.id !== lease.id || held.owner.id !== caller.account.id)
      throw new Refusal('device_not_yours', 'the lease has ended');
  }

  /** Throws `device_not_yours` if a session runs or starts on the device, or if the device is away. */
  #checkUnused(udid: string): void {
    const { devices } = this.#tools.lab;
    if (devices.statusOf(udid) !== 'free' || this.#tools.lab.sessions.runningOn(udid) !== undefined)
      throw new Refusal('device_not_yours', 'a session runs or starts on the device, or the device is away');
  }
}

const OF_SESSIONS = new Set<string>(['text', 'tap', 'clipboard']);

/** Throws `unsupported_input` for an input that a session gets as a WebDriver command and not from these routes. */
function checkForSession(input: DirectInput): asserts input is DeviceInput {
  if (OF_SESSIONS.has(input.kind)) return;
  const message = 'A session runs on the phone. Send this input to the session as a WebDriver command.';
  throw new Refusal('unsupported_input', message, { message });
}

function bodyOf(input: DeviceInput): object {
  switch (input.kind) {
    case 'text':
      return { text: input.text };
    case 'tap':
      return { x: input.x, y: input.y };
    case 'clipboard':
      return { content: input.content };
  }
}

function observed(
  { id: sessionId, ownerId }: DriverSession,
  udid: string,
  input: DeviceInput,
  answered: Pick<ObservedCommand, 'at' | 'status' | 'durationMs'>,
): ObservedCommand {
  let body: object | undefined = bodyOf(input);
  return {
    ...answered,
    sessionId,
    ownerId,
    method: 'POST',
    path: `/svc/api/control/${encodeURIComponent(udid)}/${input.kind}`,
    size: UTF8.encode(JSON.stringify(body)).length,
    get body() {
      return body;
    },
    response: () => undefined,
    shed: () => {
      body = undefined;
    },
  };
}
