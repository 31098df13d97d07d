import type { DeviceSetting, DeviceSettingStore } from '../device-settings.ts';

/** Store of device settings in memory, for tests. */
export class MemoryDeviceSettings implements DeviceSettingStore {
  readonly rows = new Map<string, DeviceSetting>();

  all(): DeviceSetting[] {
    return [...this.rows.values()].sort((a, b) => (a.udid < b.udid ? -1 : 1));
  }

  byUdid(udid: string): DeviceSetting | undefined {
    return this.rows.get(udid);
  }

  save(...settings: DeviceSetting[]): void {
    for (const setting of settings) this.rows.set(setting.udid, setting);
  }

  remove(udids: readonly string[]): void {
    for (const udid of udids) this.rows.delete(udid);
  }
}
