import type { PhoneSetting, PhoneSettingStore } from '../phone-settings.ts';

/** Phone settings in memory, for tests. */
export class MemoryPhoneSettings implements PhoneSettingStore {
  readonly rows = new Map<string, PhoneSetting>();

  all(): PhoneSetting[] {
    return [...this.rows.values()];
  }

  save(setting: PhoneSetting): void {
    this.rows.set(setting.udid, setting);
  }
}
