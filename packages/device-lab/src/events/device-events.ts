import type { Device } from '../device.ts';
import type { DeviceChange, Devices } from '../devices.ts';
import type { LabEvents, NewLabEvent } from './lab-events.ts';

const SECOND_MS = 1_000;
/** Events about the status of one device in one second, before the last one. */
const MOST_IN_A_SECOND = 20;

/** Publishes what becomes of devices to everybody who may see them (contract 3.5). Names no session and no account. */
export class DeviceEvents {
  readonly #devices: Devices;
  readonly #events: LabEvents;
  /** Changes of status in this second, by udid. */
  readonly #changes = new Map<string, number>();

  constructor(devices: Devices, events: LabEvents) {
    this.#devices = devices;
    this.#events = events;
  }

  /** `device_online` and `device_offline`: it came back or left; `device_changed`: its facts, its team or its tags. */
  publish(change: DeviceChange, device: Device): void {
    this.#events.publish(this.#eventOf(change, device));
  }

  /**
   * `device_changed` with the status of now, immediately (contract 2, `/events`). Creates that fail could cause any
   * number of these events, so beyond a limit per device and second only the last status is published, at the end of
   * the second. The event log leaves them out, because it has the sessions that cause them.
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

  /** `device_hidden` for those who do not see the device any more, with nothing but its udid. */
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
