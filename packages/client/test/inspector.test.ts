import { expect, it } from 'vitest';
import { sessionOf } from '../src/command/inspector.ts';

const clientWith = (sessions: readonly object[]) => ({ call: async () => sessions }) as never;
const ONE = { id: 's1', device: { udid: 'u1' } };
const TWO = { id: 's2', device: null };

it('svc inspector takes the only session, or the one that its id or phone names (contract 15.5)', async () => {
  expect(await sessionOf(clientWith([ONE]), undefined)).toBe('s1');
  expect(await sessionOf(clientWith([ONE, TWO]), 's2')).toBe('s2');
  expect(await sessionOf(clientWith([ONE, TWO]), 'u1')).toBe('s1');
  for (const [sessions, wanted] of [
    [[], undefined],
    [[ONE, TWO], undefined],
    [[ONE], 'u2'],
  ] as const)
    await expect(sessionOf(clientWith(sessions), wanted)).rejects.toThrow();
});
