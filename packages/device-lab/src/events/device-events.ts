import type { Device, OutOfServiceView } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { DeviceChange } from '../known-device.ts';
import type { LabEvents, NewLabEvent } from './lab-events.ts';

const SECOND_MS = 1_000;
/**
 * Number of status events of one device that are published immediately in one second. Further changes are combined into
 * one event at the end of the second.
 */
const MOST_IN_A_SECOND = 20;

/** Returns an account by its id. */
type OwnerOf = (id: string) => { readonly id: string; readonly email: string } | undefined;

interface Tools {
  readonly devices: Devices;
  readonly events: LabEvents;
  readonly ownerOf: OwnerOf;
  /** Returns why a device is out of service, or null. */
  readonly outOfService: (udid: string) => OutOfServiceView | null;
}

/**
 * Publishes events about devices. Each event is sent only to readers who may see the device (contract 3.5), and
 * contains no data about sessions. While a session starts on a device, only those who would see the session
 * get its owner and time, as `starting` (contract 14.4).
 */
export class DeviceEvents {
  readonly #devices: Devices;
  readonly #events: LabEvents;
  /** Number of status changes in the current second. The keys are udids. */
  readonly #changes = new Map<string, number>();
  readonly #ownerOf: OwnerOf;
  readonly #outOfService: Tools['outOfService'];

  constructor({ devices, events, ownerOf, outOfService }: Tools) {
    this.#devices = devices;
    this.#events = events;
    this.#ownerOf = ownerOf;
    this.#outOfService = outOfService;
  }

  /**
   * Publishes a change of a device: `device_online` if the device came back, `device_offline` if it left, and
   * `device_changed` if its description, team or tags changed.
   */
  publish(change: DeviceChange, device: Device): void {
    this.#events.publish(this.#eventOf(change, device));
  }

  /**
   * Publishes `device_changed` with the current status of a device (contract 2, `/events`). A client whose
   * create-session requests fail could cause any number of these events. Therefore only the first `MOST_IN_A_SECOND`
   * events of a device in a second are published immediately. If there are more, the last status is published at the
   * end of the second. These events are not stored in the event log, because it already contains the session events
   * that caused them.
   */
  statusChanged({ udid }: Device): void {
    if (this.#changes.size === 0) setTimeout(() => this.#endSecond(), SECOND_MS).unref();
    const changes = (this.#changes.get(udid) ?? 0) + 1;
    this.#changes.set(udid, changes);
    if (changes <= MOST_IN_A_SECOND) this.#publishStatus(udid);
  }

  #endSecond(): void {
    const changes = [...this.#changes];
    this.#changes.clear();
    for (const [udid, count] of changes) if (count > MOST_IN_A_SECOND) this.#publishStatus(udid);
  }

  #publishStatus(udid: string): void {
    const device = this.#devices.byUdid(udid);
    if (device === undefined) return;
    const changed = this.#eventOf('changed', device);
    const starting = this.#devices.startingOn(udid);
    if (starting === null) {
      this.#events.publish({ ...changed, isLogged: false });
      return;
    }
    const { ownerId, since } = starting;
    const owner = ownerId === null ? null : this.#refOf(ownerId);
    const start = { starting: { owner, since: new Date(since).toISOString() } };
    for (const seesSession of [true, false])
      this.#events.publish({
        type: 'device_changed',
        payload: { ...changed.payload, ...(seesSession ? start : {}) },
        audience: { kind: 'starting device', teamId: device.teamId, ownerId, seesSession },
        isLogged: false,
      });
  }

  /**
   * Publishes `device_hidden` to readers who can no longer see a device because it moved to another team. The event
   * contains only the udid.
   */
  moved({ udid, teamId }: Device, teamBefore: string | null): void {
    if (teamId === teamBefore) return;
    this.#events.publish({
      type: 'device_hidden',
      payload: { udid },
      audience: { kind: 'hidden device', from: teamBefore, to: teamId },
      isLogged: false,
    });
  }

  #refOf(id: string): { readonly id: string; readonly email: string } | null {
    const owner = this.#ownerOf(id);
    return owner === undefined ? null : { id: owner.id, email: owner.email };
  }

  #outOfServiceOf(udid: string) {
    const out = this.#outOfService(udid);
    if (out === null) return null;
    const { since, until } = out;
    return {
      ...out,
      since: new Date(since).toISOString(),
      until: until === null ? null : new Date(until).toISOString(),
    };
  }

  #eventOf(change: DeviceChange, device: Device): NewLabEvent<`device_${DeviceChange}`> {
    const { udid, name, platform, osVersion, node, teamId, problem = null } = device;
    const { model, manufacturer, apiLevel, kind, avd } = device;
    const idleSince = this.#devices.idleSinceOf(udid);
    const now = {
      status: this.#devices.statusOf(udid),
      tags: this.#devices.tagsOf(udid),
      idleSince: idleSince === null ? null : new Date(idleSince).toISOString(),
      note: this.#devices.noteOf(udid),
      outOfService: this.#outOfServiceOf(udid),
    };
    return {
      type: `device_${change}`,
      payload: {
        udid,
        name,
        platform,
        osVersion,
        node,
        teamId,
        model,
        manufacturer,
        apiLevel,
        kind,
        avd,
        ...now,
        ...(problem === null ? {} : { problem }),
      },
      audience: { kind: 'device', teamId },
    };
  }
}
