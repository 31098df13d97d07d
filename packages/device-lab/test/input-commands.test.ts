import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOfDisplays, textCommands } from '../src/sources/adb/input-commands.ts';
import { InputUnsupported, pixelOf } from '../src/sources/direct-input.ts';

/** Prints its arguments, each with a line end of two characters that no text contains. */
const INPUT = 'input() { for a in "$@"; do printf "%s\\001\\002" "$a"; done; }\n';

/** @returns what the commands type on a phone, when a POSIX shell runs them as adbd does */
function typedBy(commands: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', INPUT + commands.join('\n')], {
    env: { PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
  const words = stdout.split('\u0001\u0002').slice(0, -1);
  let typed = '';
  for (let at = 0; at < words.length; at += 2) {
    const [kind, value = ''] = words.slice(at);
    if (kind === 'text') typed += afterAndroid(value);
    else if (kind === 'keyevent') typed += value === '66' ? '\n' : '\t';
    else throw new Error(`unexpected word ${kind}`);
  }
  return typed;
}

/** Replaces `%s` by a blank, as `input text` of Android does. */
function afterAndroid(text: string): string {
  return text.replaceAll('%s', ' ');
}

const ASCII = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...'\'"`$\\;&|<>(){}[]*?!~#%s \t\n\r-=') },
    { weight: 1, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) },
  ),
  { minLength: 1, maxLength: 60 },
);

describe('the commands that type a text on Android', () => {
  it('type exactly the text and run no other program, whatever a client sends (contract 2)', () => {
    fc.assert(
      fc.property(ASCII, (characters) => {
        const text = characters.join('');
        expect(typedBy(textCommands(text))).toBe(text.replaceAll(/\r\n?/g, '\n'));
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ["'; reboot; '"],
    ['$(reboot)'],
    ['`reboot`'],
    ['a\nreboot'],
    ['%s%%s%s'],
    ['-d 1 --help'],
    ["'".repeat(4_096)],
    ['x'.repeat(4_096)],
  ])('type %j as text (contract 2)', (text) => {
    const commands = textCommands(text);
    expect(typedBy(commands)).toBe(text);
    expect(Math.max(...commands.map((command) => command.length))).toBeLessThan(2_100);
  });

  it('the commands that type a text on Android refuse every text with a character that is not of ASCII or not printable (contract 2)', () => {
    const others = fc.oneof(
      fc.constantFrom('\0', '\u0007', '\u001b', '\u007f', 'é', 'ü', '漢', '😀', '\ud800', '\u2028'),
      fc.integer({ min: 0x80, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    );
    fc.assert(
      fc.property(fc.string(), others, fc.string(), (before, other, after) => {
        expect(() => textCommands(before + other + after)).toThrow(InputUnsupported);
      }),
    );
  });
});

describe('a point of the screen', () => {
  it('a point of the screen is always a whole pixel inside the screen (contract 2)', () => {
    const size = fc.integer({ min: 1, max: 100_000 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(size, share, (pixels, part) => {
        const at = pixelOf(part, pixels);
        expect([Number.isInteger(at), at >= 0, at < pixels, at.toString()]).toEqual([
          ...[true, true, true],
          expect.stringMatching(/^\d+$/),
        ]);
      }),
    );
  });

  it.each([
    ['  init=1080x2400 440dpi cur=2400x1080 app=2400x1017', { width: 2400, height: 1080 }],
    ['cur=0x0', null],
    ['cur=9999999x1', null],
    ['', null],
    ['cur=$(reboot)x1', null],
  ])('a point of the screen is computed from %j only if that names a size (contract 2)', (output, size) => {
    expect(sizeOfDisplays(output)).toEqual(size);
  });
});
