import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alignCommands,
  firstDifference,
  type LoggedCommand,
  routeOf,
} from '../src/pages/sessions/align-commands.ts';
import { foldLines } from '../src/pages/sessions/fold-lines.ts';

const command = (
  seq: number,
  method: string,
  path: string,
  change: Partial<LoggedCommand> = {},
): LoggedCommand => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  method,
  path: `/wd/hub/session/s-${seq}${path}`,
  status: 200,
  durationMs: 1,
  body: null,
  response: { value: null },
  name: path,
  summary: '',
  ...change,
});
const run = (...paths: string[]) => paths.map((path, index) => command(index + 1, 'POST', path));
const shape = (left: readonly LoggedCommand[], right: readonly LoggedCommand[]) =>
  alignCommands(left, right).map((line) => [
    line.left === null ? '' : routeOf(line.left.path),
    line.right === null ? '' : routeOf(line.right.path),
    line.difference,
  ]);

describe('two runs of a test side by side', () => {
  it('two runs of a test side by side stand in one line where they did the same, whatever the ids', () => {
    const left = [command(1, 'POST', '/element/e-1/click'), command(2, 'GET', '/source')];
    const right = [command(7, 'POST', '/element/e-9/click'), command(8, 'GET', '/source')];
    expect(shape(left, right)).toEqual([
      ['/element/:id/click', '/element/:id/click', 'same'],
      ['/source', '/source', 'same'],
    ]);
    expect(firstDifference(alignCommands(left, right))).toBe(-1);
  });

  it('two runs of a test side by side show what only one of them did, and go on together behind it', () => {
    expect(shape(run('/a', '/b', '/c'), run('/a', '/x', '/c'))).toEqual([
      ['/a', '/a', 'same'],
      ['/b', '', 'only-left'],
      ['', '/x', 'only-right'],
      ['/c', '/c', 'same'],
    ]);
  });

  it('two runs of a test side by side differ by outcome and by what was sent; another element that is looked for is another command', () => {
    const find = (value: string) => command(1, 'POST', '/element', { body: { using: 'id', value } });
    expect(shape([find('a')], [find('b')]).map(([, , difference]) => difference)).toEqual([
      'only-left',
      'only-right',
    ]);
    const failed = command(1, 'GET', '/source', {
      status: 404,
      response: { value: { error: 'no such window' } },
    });
    const other = { ...failed, response: { value: { error: 'invalid session id' } } };
    expect(shape([failed], [command(1, 'GET', '/source')])[0]?.[2]).toBe('outcome');
    expect(shape([failed], [other])[0]?.[2]).toBe('outcome');
    expect(shape([failed], [failed])[0]?.[2]).toBe('same');
    const typed = (text: string) => command(1, 'POST', '/element/e/value', { body: { text } });
    expect(shape([typed('a')], [typed('b')])[0]?.[2]).toBe('body');
  });

  it('two runs of a test side by side lose and repeat nothing and keep each order, whatever the runs were', () => {
    const runs = fc.array(fc.constantFrom('/a', '/b', '/c', '/d'), { maxLength: 30 });
    fc.assert(
      fc.property(runs, runs, (a, b) => {
        const [left, right] = [run(...a), run(...b)];
        const lines = alignCommands(left, right);
        expect(lines.map((line) => line.left).filter((each) => each !== null)).toEqual(left);
        expect(lines.map((line) => line.right).filter((each) => each !== null)).toEqual(right);
        for (const line of lines)
          if (line.left !== null && line.right !== null)
            expect(routeOf(line.left.path)).toBe(routeOf(line.right.path));
        const shown = foldLines(lines);
        const covered = shown.flatMap((each) =>
          each.kind === 'line'
            ? [each.from]
            : Array.from({ length: each.count }, (_, offset) => each.from + offset),
        );
        expect(covered).toEqual(lines.map((_, index) => index));
        expect(shown.every((each) => each.kind === 'line' || lines[each.from]?.difference === 'same')).toBe(
          true,
        );
      }),
    );
  });
});
