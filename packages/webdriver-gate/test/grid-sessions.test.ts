import { fakeClock, silentLog } from '@svc/auth-core/testing';
import type { SessionEnd } from '@svc/device-lab';
import { describe, expect, it } from 'vitest';
import { GridSessions } from '../src/grid/grid-sessions.ts';

/** Starts a grid that lists `grid.sessions`, and a lab that collects the ends of sessions that are reported to it. */
function start(running: { id: string; node: string | null }[] = []) {
  const clock = fakeClock();
  const grid = {
    sessions: new Set<string>() as Set<string> | null,
    isGone: false,
    given: 0,
    ended: [] as string[],
    asked: [] as string[],
  };
  const client = {
    name: 'grid:4444',
    status: async () => {
      if (grid.isGone) throw new Error('gone');
      return { isReady: true, sessions: grid.sessions };
    },
    endSession: async (id: string) => void grid.ended.push(id),
    keepAlive: async (id: string) => {
      grid.asked.push(id);
      return id !== 'forgotten';
    },
    giveUp: () => void grid.given++,
  };
  const ends = new Map<string, SessionEnd>();
  let onEnd: (ended: { id: string }) => void = () => undefined;
  const lab = {
    onEnd: (report: typeof onEnd) => {
      onEnd = report;
    },
    sessions: { running: () => running.map((one) => ({ ...one, capabilities: {} })) },
    resumeSession: (session: { id: string; ended: Promise<SessionEnd> }) => watch(session),
  };
  const watch = ({ id, ended }: { id: string; ended: Promise<SessionEnd> }) =>
    void ended.then((end) => {
      ends.set(id, end);
      onEnd({ id });
    });
  const sessions = new GridSessions({ client, lab, clock, log: silentLog() } as never);
  const add = (id: string) => {
    const session = sessions.started(id, {});
    watch(session);
    return session;
  };
  const look = async (afterMs: number) => {
    clock.advance(afterMs);
    await sessions.look();
    await new Promise(setImmediate);
  };
  return { clock, grid, ends, sessions, add, look };
}

describe('sessions in a grid', () => {
  it('sessions in a grid are lost when it has not named them for 30 s, and not before (specification 9.2, Session Lost)', async () => {
    const { grid, ends, add, look } = start();
    add('a');
    add('b');
    grid.sessions = new Set(['b']);
    await look(10_000);
    await look(29_000);
    expect(ends.size).toBe(0);
    await look(1_000);
    expect([...ends]).toEqual([['a', { category: 'Session Lost', reason: 'the grid no longer has it' }]]);
  });

  it('sessions in a grid are not lost when it names them again in between: its hub was restarted', async () => {
    const { grid, ends, add, look } = start();
    add('a');
    for (let round = 0; round < 4; round++) {
      grid.sessions = new Set();
      await look(20_000);
      grid.sessions = new Set(['a']);
      await look(10_000);
    }
    expect(ends.size).toBe(0);
  });

  it('sessions in a grid are not lost when they began after it was asked', async () => {
    const { ends, add, look } = start();
    await look(1);
    add('a');
    await look(0);
    expect(ends.size).toBe(0);
  });

  it('sessions in a grid are lost when it is silent for ten minutes; what waits for it is given up after 30 s (contract 8.4)', async () => {
    const { grid, ends, add, look } = start();
    add('a');
    grid.isGone = true;
    await look(29_000);
    expect(grid.given).toBe(0);
    await look(1_000);
    expect(grid.given).toBe(1);
    await look(569_000);
    expect(ends.size).toBe(0);
    await look(1_000);
    expect(ends.get('a')).toMatchObject({ category: 'Session Lost' });
  });

  it('sessions in a grid are taken up again after a restart, those of other nodes left alone (contract 8.4)', () => {
    const { sessions } = start([
      { id: 'a', node: 'grid:4444' },
      { id: 'b', node: 'node:1' },
      { id: 'c', node: null },
    ]);
    expect(['a', 'b', 'c'].map((id) => sessions.runs(id))).toEqual([true, false, false]);
  });

  it('a session that is over here and still runs at the grid is ended there, and no foreign session is', async () => {
    const { grid, sessions, add, look } = start();
    add('a');
    sessions.end('a', { category: 'Session Lost', reason: null });
    await look(0);
    grid.sessions = new Set(['a', 'of somebody else']);
    await look(10_000);
    expect(grid.ended).toEqual(['a']);
  });

  it('sessions in a grid are asked about once an hour where the grid names none, so that its idle time-out is left alone', async () => {
    const { grid, ends, add, look, sessions } = start();
    grid.sessions = null;
    add('kept');
    add('forgotten');
    add('used');
    await look(3_599_000);
    sessions.used('used');
    expect(grid.asked).toEqual([]);
    await look(1_000);
    expect(grid.asked).toEqual(['kept', 'forgotten']);
    expect([...ends.keys()]).toEqual(['forgotten']);
  });
});
