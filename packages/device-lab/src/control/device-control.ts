import {
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  type Log,
  maySeeDevice,
  Refusal,
  refusalToDrive,
  type Stores,
} from '@svc/auth-core';
import type { ObservedCommand } from '../command-log/entry.ts';
import type { Device } from '../device.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { DriverSession } from '../driver-session.ts';
import { type DeviceInput, InputFailed, inputNote } from '../start-session.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'input' | 'keepAlive' | 'commandLog'>;
  readonly stores: Pick<Stores, 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

const UTF8 = new TextEncoder();

/**
 * Lets people type text, tap, and set the clipboard on a device while a session runs on it. The caller must be allowed
 * to drive this session (contract 2).
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
   * `not_found` if the caller is not allowed to see the device, `driver_failed` if the driver rejects the input, or
   * `device_not_yours` if no session runs on the device or the caller is not allowed to drive it.
   */
  async input(caller: Caller, udid: string, input: DeviceInput): Promise<void> {
    const { lab, stores, audit, clock } = this.#tools;
    const session = this.#driven(caller, udid);
    const reason = `${inputNote(input)}, session ${session.id}`;
    stores.transaction((tx) =>
      audit.record(tx, 'device_input', { ...actorOf(caller), target: udid, reason }),
    );
    const at = clock.now();
    let status = 204;
    try {
      await this.#put(session, udid, input);
    } catch (error) {
      status = 502;
      throw error;
    } finally {
      // Add the input to the command log, which masks the typed text in later responses of the device.
      lab.commandLog.add(observed(session, udid, input, { at, status, durationMs: clock.now() - at }));
    }
  }

  /**
   * Puts an input into a device of this node at the request of its hub. The hub has checked the caller, and writes the
   * command log and the audit trail. Throws `device_not_yours` if the session that the hub names does not run on the
   * device, or `driver_failed` if the driver rejects the input.
   */
  async inputForHub(udid: string, sessionId: string | null, input: DeviceInput): Promise<void> {
    const session = this.#sessionOn(udid);
    if (session === undefined || session.id !== sessionId || session.node !== null)
      throw new Refusal('device_not_yours', 'the session does not run on the device');
    await this.#put(session, udid, input);
  }

  async #put(session: DriverSession, udid: string, input: DeviceInput): Promise<void> {
    try {
      await this.#putInto(session, udid, input);
    } catch (error) {
      if (!(error instanceof InputFailed)) throw error;
      this.#tools.log.warn(`A driver rejected an input: ${error.message}`, { session: session.id });
      throw new Refusal('driver_failed', error.message);
    }
  }

  async #putInto(session: DriverSession, udid: string, input: DeviceInput): Promise<void> {
    const { lab } = this.#tools;
    const drive = () => lab.input(session.id, input);
    const source = lab.devices.sourceOf(udid);
    if (source?.input === undefined) await drive();
    else await source.input(udid, input, { drive, keepAlive: () => lab.keepAlive(session.id) });
  }

  #sessionOn(udid: string): DriverSession | undefined {
    return this.#tools.lab.sessions.running().find(({ device }) => device?.udid === udid);
  }

  #driven(caller: Caller, udid: string): DriverSession {
    this.seen(caller, udid);
    const session = this.#sessionOn(udid);
    if (session === undefined) throw new Refusal('device_not_yours', 'no session runs on the device');
    const refused = refusalToDrive(caller, session.ownerId);
    if (refused !== null) throw new Refusal('device_not_yours', refused);
    return session;
  }
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
