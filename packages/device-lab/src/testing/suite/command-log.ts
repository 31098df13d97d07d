import { describe, expect, it } from 'vitest';
import type { CommandLogStore, LogChunk } from '../../command-log/entry.ts';
import { type OpenLabStores, opened } from './opened.ts';

/** Returns the numbers and texts of the chunks of a session, oldest first. */
function storedOf(commandLog: CommandLogStore, sessionId: string) {
  return commandLog
    .heads(sessionId)
    .map(({ seq }) => ({ seq, entries: commandLog.entriesAt(sessionId, seq) }));
}

const stored = (...seqs: readonly number[]) => seqs.map((seq) => ({ seq, entries: '["ü"]' }));

const chunk = (sessionId: string, seq: number, lastAt = seq): LogChunk => ({
  sessionId,
  seq,
  rows: 10,
  bytes: 2,
  lastAt,
  entries: '["ü"]',
});

export function commandLogSuite(open: OpenLabStores): void {
  describe('command log', () => {
    const stores = opened(open);

    it('the command log keeps the chunks of each session in order, whatever order they came in', () => {
      const { commandLog } = stores();
      commandLog.write([chunk('a', 11), chunk('b', 1), chunk('a', 1)], []);
      expect(storedOf(commandLog, 'a')).toEqual(stored(1, 11));
      expect(commandLog.heads('a')).toEqual([
        { seq: 1, rows: 10, bytes: 2 },
        { seq: 11, rows: 10, bytes: 2 },
      ]);
      expect(commandLog.heads('c')).toEqual([]);
      expect([commandLog.entriesAt('a', 2), commandLog.entriesAt('c', 1)]).toEqual([undefined, undefined]);
    });

    it('the command log trims the oldest commands of one session, also those of the same write', () => {
      const { commandLog } = stores();
      commandLog.write([chunk('a', 1), chunk('b', 1)], []);
      commandLog.write([chunk('a', 11), chunk('a', 21)], [{ sessionId: 'a', seq: 21 }]);
      expect(storedOf(commandLog, 'a')).toEqual(stored(21));
      expect(storedOf(commandLog, 'b')).toEqual(stored(1));
    });

    it('the command log forgets by the age of the last command', () => {
      const { commandLog } = stores();
      commandLog.write([chunk('a', 1, 20), chunk('a', 11, 21), chunk('b', 1, 5)], []);
      expect(commandLog.removeBefore(21, 10)).toBe(2);
      expect(storedOf(commandLog, 'a')).toEqual(stored(11));
      expect(storedOf(commandLog, 'b')).toEqual(stored());
      expect(commandLog.removeBefore(21, 10)).toBe(0);
    });

    it('the command log forgets a limited number in each step, the oldest first', () => {
      const { commandLog } = stores();
      commandLog.write([chunk('a', 1, 3), chunk('a', 11, 1), chunk('b', 1, 2)], []);
      expect(commandLog.removeBefore(9, 2)).toBe(2);
      expect([storedOf(commandLog, 'a'), storedOf(commandLog, 'b')]).toEqual([stored(1), []]);
    });

    it('the command log writes all of a batch or nothing', () => {
      const { commandLog } = stores();
      commandLog.write([chunk('a', 1)], []);
      const trimmed = [{ sessionId: 'a', seq: 11 }];
      expect(() => commandLog.write([chunk('a', 11), chunk('a', 11)], trimmed)).toThrow();
      expect(() => commandLog.write([chunk('b', 1), chunk('a', 1)], trimmed)).toThrow();
      expect(storedOf(commandLog, 'a')).toEqual(stored(1));
      expect(storedOf(commandLog, 'b')).toEqual(stored());
    });
  });
}
