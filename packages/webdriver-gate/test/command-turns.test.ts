import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandTurns, NoTurn } from '../src/remote/command-turns.ts';

let turns: CommandTurns;
let started: string[];
let refused: Error[];

beforeEach(() => {
  turns = new CommandTurns();
  started = [];
  refused = [];
});

function take(session: string, name: string): EventEmitter {
  const res = new EventEmitter();
  turns.take(
    session,
    res as ServerResponse,
    () => void started.push(name),
    (error) => refused.push(error),
  );
  return res;
}
const takeMany = (session: string, count: number) =>
  Array.from({ length: count }, (_, index) => take(session, `${session}${index}`));
const later = () => new Promise(setImmediate);

describe('turns of commands (contract 8)', () => {
  it('turns of commands come at once to 16 of a session, and to others in their order as those are done (contract 8)', async () => {
    takeMany('a', 20);
    expect(started).toEqual(Array.from({ length: 16 }, (_, index) => `a${index}`));
    turns.done('a');
    turns.done('a');
    await later();
    expect(started.slice(16)).toEqual(['a16', 'a17']);
  });

  it('turns of one session do not affect another session (contract 8)', () => {
    takeMany('a', 100);
    started = [];
    takeMany('b', 16);
    expect(started.length).toBe(16);
  });

  it('turns of commands never come to those whose client left, who are forgotten (contract 8)', async () => {
    const asked = takeMany('a', 19);
    asked[17]?.emit('close');
    asked[0]?.emit('close');
    for (let count = 0; count < 17; count++) turns.done('a');
    Object.assign(asked[18] as EventEmitter, { destroyed: true });
    await later();
    expect(started.slice(16)).toEqual(['a16']);
    expect(asked.map((res) => res.listenerCount('close')).slice(16)).toEqual([0, 0, 0]);
  });

  it('turns of commands are all there again once everything is done (contract 8)', async () => {
    takeMany('a', 50);
    for (let count = 0; count < 50; count++) turns.done('a');
    await later();
    expect(started.length).toBe(50);
    started = [];
    takeMany('a', 17);
    expect(started.length).toBe(16);
  });

  it('turns of commands do not come later than a check is good for (contract 7)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const asked = takeMany('a', 18);
      vi.advanceTimersByTime(29_999);
      turns.done('a');
      // The first waiting request got its turn before its time-out, so only the second one times out.
      vi.advanceTimersByTime(1);
      await later();
      expect(started.slice(16)).toEqual(['a16']);
      expect(refused).toEqual([new NoTurn()]);
      expect(asked[17]?.listenerCount('close')).toBe(0);
      turns.done('a');
      await later();
      expect([started.length, refused.length, vi.getTimerCount()]).toEqual([17, 1, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('turns of commands come to thousands that fail immediately without nested calls (contract 8)', async () => {
    let failed = 0;
    const fail = () => {
      failed++;
      turns.done('a');
    };
    takeMany('a', 16);
    for (let count = 0; count < 20_000; count++)
      turns.take('a', new EventEmitter() as ServerResponse, fail, fail);
    turns.done('a');
    await expect.poll(() => failed).toBe(20_000);
  });
});
