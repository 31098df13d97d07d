import { autocommit } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

export function settingSuite(open: Open): void {
  describe('settings', () => {
    const at = opened(open);

    it('settings keep any JSON value; those not named stay', () => {
      const { settings } = autocommit(at.stores);
      expect([...settings.all()]).toEqual([]);
      settings.save(
        new Map<string, unknown>([
          ['b', { deep: [1, null, 'x'] }],
          ['a', false],
          ['c', null],
        ]),
      );
      settings.save(new Map([['a', true]]));
      expect([...settings.all()]).toEqual([
        ['a', true],
        ['b', { deep: [1, null, 'x'] }],
        ['c', null],
      ]);
      settings.save(new Map([['b', undefined]]));
      expect([...settings.all().keys()]).toEqual(['a', 'c']);
    });
  });
}
