import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CommandEvents } from '../src/events/command-events.ts';
import type { LabEvent } from '../src/events/lab-events.ts';
import { seen } from './logged.ts';

let published: LabEvent[];
let collects: boolean;
let commands: CommandEvents;

beforeEach(() => {
  vi.useFakeTimers();
  published = [];
  collects = true;
  commands = new CommandEvents({
    get collects() {
      return collects;
    },
    publish: (_kind, event) => {
      published.push(event);
      return 'id';
    },
  });
});
afterEach(() => void vi.useRealTimers());

it('session_command is a summary: nothing of what a command carried, saw or answered (specification 6)', () => {
  commands.note({
    ...seen({
      session: 's1',
      route: '/element/7/value',
      body: { text: 'canary', url: 'canary', title: 'canary' },
      response: { value: 'canary', screenshot: 'canary' },
      at: 10,
    }),
    ownerId: 'ana',
  });
  vi.advanceTimersByTime(100);
  expect(published).toEqual([
    {
      type: 'session_command',
      at: 13,
      payload: {
        sessionId: 's1',
        method: 'POST',
        path: '/wd/hub/session/s1/element/7/value',
        status: 200,
        durationMs: 3,
      },
      audience: { kind: 'session', ownerId: 'ana' },
    },
  ]);
});

it('a secret in a path is masked', () => {
  commands.note(seen({ route: '/appium/password=canary' }));
  commands.flush();
  expect(JSON.stringify(published)).not.toContain('canary');
});

it('nothing is kept while nobody watches', () => {
  collects = false;
  commands.note(seen({}));
  expect(vi.getTimerCount()).toBe(0);
  commands.flush();
  expect(published).toEqual([]);
});

it('many at once are published in between, in their order, and none twice', () => {
  for (let at = 1; at <= 2_500; at++) commands.note(seen({ at }));
  expect(published).toHaveLength(2_000);
  commands.flush();
  vi.advanceTimersByTime(1_000);
  expect(published.map(({ at }) => at)).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 4));
});
