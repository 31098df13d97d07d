import { describe, expect, it } from 'vitest';
import { type OpenLabStores, opened } from './opened.ts';

const APP = { id: 'a1', name: 'one.apk', size: 3, sha256: 'ab', createdAt: 5, uploadedBy: 'ana' };

export function appSuite(open: OpenLabStores): void {
  describe('apps', () => {
    const stores = opened(open);

    it('apps are kept until they are removed, newest first (contract 2, apps)', () => {
      const { apps } = stores();
      expect(apps.list()).toEqual([]);
      const newer = { ...APP, id: 'a2', createdAt: 6, uploadedBy: null };
      const same = { ...APP, id: 'a0' };
      for (const app of [newer, APP, same]) apps.insert(app);
      expect(apps.list()).toEqual([newer, same, APP]);
      expect(apps.byId('a1')).toEqual(APP);
      apps.remove('a1');
      apps.remove('unknown');
      expect(apps.byId('a1')).toBeUndefined();
    });

    it('apps are counted with their bytes, beyond 32 bits (contract 2, apps)', () => {
      const { apps } = stores();
      expect(apps.totals()).toEqual({ count: 0, bytes: 0 });
      for (const id of ['b1', 'b2']) apps.insert({ ...APP, id, size: 3 * 2 ** 31 });
      expect(apps.totals()).toEqual({ count: 2, bytes: 6 * 2 ** 31 });
      expect(apps.byId('b1')?.size).toBe(3 * 2 ** 31);
    });
  });
}
