import { describe, expect, it } from 'vitest';
import { type OpenLabStores, opened } from './opened.ts';

const SETTING = { udid: 'u1', name: 'n', platform: 'p', osVersion: '1', teamId: null, tags: ['x', 'y'] };

export function deviceSettingSuite(open: OpenLabStores): void {
  describe('device settings', () => {
    const stores = opened(open);

    it('(contract 2 /device) are one of each device, the latest, by udid', () => {
      const { deviceSettings } = stores();
      expect(deviceSettings.all()).toEqual([]);
      const other = { ...SETTING, udid: 'u0', tags: [] };
      deviceSettings.save(SETTING);
      deviceSettings.save(other);
      deviceSettings.save({ ...SETTING, teamId: 't', osVersion: '2', tags: ['z'] });
      expect(deviceSettings.all()).toEqual([other, { ...SETTING, teamId: 't', osVersion: '2', tags: ['z'] }]);
    });
  });
}
