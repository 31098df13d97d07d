import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../events/event-log.ts';
import { type OpenLabStores, opened } from './opened.ts';

const event = (id: string, at = 1): LoggedEvent => ({ id, at, type: 'device_new', payload: '{"name":"ü"}' });

export function eventLogSuite(open: OpenLabStores): void {
  describe('event log (specification 6)', () => {
    const stores = opened(open);
    const ids = (before: string | null = null, limit = 10) =>
      stores()
        .eventLog.page(before, limit)
        .map(({ id }) => id);

    it('the event log comes back as it was, the last written first, whatever the times say (specification 6)', () => {
      const { eventLog } = stores();
      eventLog.append([event('a', 9), event('b', 3)], 10);
      eventLog.append([event('c', 5)], 10);
      expect(eventLog.page(null, 10)).toEqual([event('c', 5), event('b', 3), event('a', 9)]);
    });

    it('the event log is read in pages (specification 6)', () => {
      const { eventLog } = stores();
      eventLog.append(
        ['a', 'b', 'c', 'd'].map((id) => event(id)),
        10,
      );
      expect(ids(null, 2)).toEqual(['d', 'c']);
      expect(ids('c', 2)).toEqual(['b', 'a']);
      expect(ids('a')).toEqual([]);
      expect([eventLog.has('a'), eventLog.has('A'), eventLog.has('x')]).toEqual([true, false, false]);
    });

    it('the event log writes all of a batch or nothing (specification 6)', () => {
      const { eventLog } = stores();
      eventLog.append([event('a')], 10);
      expect(() => eventLog.append([event('b'), event('a')], 10)).toThrow();
      expect(ids()).toEqual(['a']);
    });

    it('the event log keeps the newest events up to its limit (specification 6)', () => {
      const { eventLog } = stores();
      eventLog.append(
        ['a', 'b', 'c'].map((id) => event(id)),
        2,
      );
      expect(ids()).toEqual(['c', 'b']);
      eventLog.append([event('d')], 2);
      expect(ids()).toEqual(['d', 'c']);
    });

    it('the event log forgets by age, a limited number in each step (specification 6)', () => {
      const { eventLog } = stores();
      eventLog.append(
        ['a', 'b', 'c', 'd'].map((id, index) => event(id, index + 1)),
        10,
      );
      expect(eventLog.removeBefore(4, 2)).toBe(2);
      expect(ids()).toEqual(['d', 'c']);
      expect(eventLog.removeBefore(4, 2)).toBe(1);
      expect(eventLog.removeBefore(4, 2)).toBe(0);
      expect(ids()).toEqual(['d']);
    });
  });
}
