import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excessOf, jsonSizeOf } from '../src/json-size.ts';

const sizeOf = (text: string) => jsonSizeOf(Buffer.from(text));

/** Counts levels and values of a parsed value, for comparison with `jsonSizeOf`. */
function countOf(value: unknown): { levels: number; values: number } {
  if (typeof value !== 'object' || value === null) return { levels: 0, values: 1 };
  const inner = Object.values(value).map(countOf);
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    values: inner.reduce((sum, { values }) => sum + values, 1),
  };
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const list = (values: number) => `[${Array(values - 1).fill('0')}]`;

describe('levels and values of JSON text (contract 5)', () => {
  it.each<[string, number, number]>([
    ['', 0, 0],
    [' \t\r\n', 0, 0],
    ['null', 0, 1],
    ['"[{,"', 0, 1],
    [String.raw`"\"[{,\\"`, 0, 1],
    [String.raw`["\\",["\\\""]]`, 2, 4],
    ['{}', 1, 1],
    ['[ ]', 1, 1],
    ['{"a":1}', 1, 2],
    ['{"a":{"b":[]}}', 3, 3],
    ['[1,"x",true,null,-0.5e3]', 1, 6],
    ['[[],[[]],{}]', 3, 5],
    ['\ufeff{"a" : [ 1 , 2 ] }', 2, 4],
  ])('%j has %d levels and %d values', (text, levels, values) => {
    expect(sizeOf(text)).toEqual({ levels, values });
  });

  it.each<[string, string, string | null]>([
    ['64 levels', nested(64), null],
    ['65 levels', nested(65), 'more than 64 levels'],
    ['a million openings', '['.repeat(1_000_000), 'more than 64 levels'],
    ['objects in 65 levels', '{"a":'.repeat(65), 'more than 64 levels'],
    ['20,000 values', list(20_000), null],
    ['20,001 values', list(20_001), 'more than 20000 values'],
    ['a million empty objects', `[${'{},'.repeat(1_000_000)}`, 'more than 20000 values'],
    ['a million commas', `[${','.repeat(1_000_000)}`, 'more than 20000 values'],
    ['a long string of brackets', JSON.stringify('["{,'.repeat(100_000)), null],
    ['a string that never ends', `"${'['.repeat(100_000)}`, null],
  ])('%s: %#', (_, text, excess) => {
    expect(excessOf(sizeOf(text))).toBe(excess);
  });

  it('levels and values of JSON text are those of the parsed value, however it is written (property) (contract 5)', () => {
    const spaces = fc.constantFrom('', ' ', '\n', '\t');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), spaces, (value, space) => {
        expect(sizeOf(JSON.stringify(value, null, space))).toEqual(countOf(value));
      }),
    );
  });

  it('levels and values of JSON text are never fewer than a parser reads, and counting never throws, on any bytes (property) (contract 5)', () => {
    const piece = fc.constantFrom(...'[]{},:"\\ 1a', '"a":', 'null', '\u00e9', '\n');
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), text), (bytes) => {
        const { levels, values } = jsonSizeOf(bytes);
        let parsed: unknown;
        try {
          parsed = JSON.parse(new TextDecoder().decode(bytes));
        } catch {
          return;
        }
        const least = countOf(parsed);
        expect(levels).toBeGreaterThanOrEqual(least.levels);
        expect(values).toBeGreaterThanOrEqual(least.values);
      }),
    );
  });
});
