import type { DeviceSetting, DeviceSettingStore } from '../device-settings.ts';

/** Phone settings in memory, for tests. */
export class MemoryDeviceSettings implements DeviceSettingStore {
  readonly rows = new Map<string, DeviceSetting>();

  all(): DeviceSetting[] {
    return [...this.rows.values()];
  }

  save(setting: DeviceSetting): void {
    this.rows.set(setting.udid, setting);
  }
}
