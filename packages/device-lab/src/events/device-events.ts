import type { Device } from '../device.ts';
import type { DeviceChange, Devices } from '../devices.ts';
import type { LabEvents, NewLabEvent } from './lab-events.ts';

const SECOND_MS = 1_000;
/** Maximum number of status events per device and second that are published immediately. */
const MOST_IN_A_SECOND = 20;

/**
 * Publishes events about devices to the readers who may see these devices (contract 3.5). The events contain no session
 * and no account.
 */
export class DeviceEvents {
  readonly #devices: Devices;
  readonly #events: LabEvents;
  /** Number of status changes in the current second, by udid. */
  readonly #changes = new Map<string, number>();

  constructor(devices: Devices, events: LabEvents) {
    this.#devices = devices;
    this.#events = events;
  }

  /**
   * Publishes a change of a device: `device_online` if the device came back, `device_offline` if it left, and
   * `device_changed` if its description, team or tags changed.
   */
  publish(change: DeviceChange, device: Device): void {
    this.#events.publish(this.#eventOf(change, device));
  }

  /**
   * Publishes `device_changed` with the current status of a device (contract 2, `/events`). Failing create-session
   * requests could cause any number of these events. Therefore at most `MOST_IN_A_SECOND` events of a device are
   * published immediately in a second. If there are more, only the last status is published, at the end of the second.
   * The event log omits these events, because it already contains the session events that cause them.
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
    this.#events.publish({ ...this.#eventOf('changed', device), isLogged: false });
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

  #eventOf(change: DeviceChange, device: Device): NewLabEvent {
    const { udid, name, platform, osVersion, node, teamId } = device;
    const now = { status: this.#devices.statusOf(udid), tags: this.#devices.tagsOf(udid) };
    return {
      type: `device_${change}`,
      payload: { udid, name, platform, osVersion, node, teamId, ...now },
      audience: { kind: 'device', teamId },
    };
  }
}
