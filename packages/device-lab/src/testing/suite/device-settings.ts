import { describe, expect, it } from 'vitest';
import { type OpenLabStores, opened } from './opened.ts';

const SETTING = {
  udid: 'u1',
  name: 'n',
  platform: 'p',
  osVersion: '1',
  node: null,
  teamId: null,
  tags: ['x', 'y'],
  givenName: 'Shelf 3',
  note: 'Its home key is worn out.',
  lastSeenAt: null,
};

export function deviceSettingSuite(open: OpenLabStores): void {
  describe('device settings', () => {
    const stores = opened(open);

    it('the settings of phones are one of each device, the latest, by udid (contract 2 /device)', () => {
      const { deviceSettings } = stores();
      expect(deviceSettings.all()).toEqual([]);
      const other = { ...SETTING, udid: 'u0', tags: [] };
      deviceSettings.save(SETTING);
      deviceSettings.save(other);
      deviceSettings.save({ ...SETTING, teamId: 't', osVersion: '2', tags: ['z'] });
      expect(deviceSettings.all()).toEqual([other, { ...SETTING, teamId: 't', osVersion: '2', tags: ['z'] }]);
      expect(deviceSettings.byUdid('u0')).toEqual(other);
      expect(deviceSettings.byUdid('u9')).toBeUndefined();
    });

    it('(contract 2 /devices) many are saved and removed at once; unknown ones are no trouble', () => {
      const { deviceSettings } = stores();
      const many = ['a', 'b', 'c'].map((udid) => ({ ...SETTING, udid, node: 'node-1', lastSeenAt: 7 }));
      deviceSettings.save(...many);
      deviceSettings.remove(['a', 'c', 'z']);
      expect(deviceSettings.all()).toEqual([many[1]]);
    });
  });
}
