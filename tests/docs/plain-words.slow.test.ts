import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freshDataDir } from '../support/lab.ts';

const script = fileURLToPath(new URL('../../scripts/plain-words.mjs', import.meta.url));

/** @returns the lines and words that the script refuses in a file of this name and text */
function refused(name: string, text: string): string[] {
  const file = join(freshDataDir(), name);
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  const found = stderr.split('\n').filter((line) => line.startsWith(`${file}:`));
  expect(stdout).toContain(`Words to replace: ${found.length}`);
  expect(status).toBe(found.length > 0 ? 1 : 0);
  return found.map((line) => line.slice(file.length + 1).replace(/: say .*|: begin .*|: name .*/, ''));
}

it('plain-words refuses a phrase in a comment of TypeScript, also across a line break', () => {
  const text = [
    '/** Of its last report. */',
    'const last = 1;',
    '/**',
    ' * Undefined: nobody came. Two requests at',
    ' * once end it.',
    ' */',
    'call(last); // The node is',
    '// asked again.',
  ];
  expect(refused('a.ts', text.join('\n'))).toEqual([
    '1: "/** Of"',
    '4: "nobody"',
    '4: "at once"',
    '4: "Undefined:"',
    '7: "is asked"',
  ]);
});

it('plain-words leaves code, strings, regular expressions, templates and the text of a page alone', () => {
  const text = [
    'const nobody = /nobody \\/\\* at once/.test("// at once") ? `/* anew */` : null;',
    'const told = { nobody, value: undefined };',
    'export const page = <p>whoever // at once</p>;',
    'let x = 2; // `nobody` is a variable, and a stand-in stands for it; told apart, asked to wait.',
    '// The order as it is written, more than is no more than that. A bearer. Outstanding. https://x.test/anew',
    'x += told;',
  ];
  expect(refused('a.tsx', text.join('\n'))).toEqual([]);
});

it('plain-words reads comments and docstrings of Python, and no other strings', () => {
  const text = [
    '"""Whoever asks."""',
    'a = "# nobody"  # anew',
    'b = """',
    'nobody',
    '"""',
    'def c():',
    '    """One line.',
    '',
    '    The lease stands.',
    '    """',
  ];
  expect(refused('a.py', text.join('\n'))).toEqual(['1: "Whoever"', '2: "anew"', '9: "stands"']);
});

it('plain-words reads comments of Java, and no strings', () => {
  const text = [
    '/** Null: it is {@code none}. */',
    'String a = "// nobody", b = """',
    'anew',
    '"""; // Told so.',
  ];
  expect(refused('A.java', text.join('\n'))).toEqual(['1: "Null:"', '4: "Told"']);
});

it('plain-words reads the prose of Markdown, without code and addresses', () => {
  const text = [
    '# Nobody',
    '```sh',
    'echo nobody',
    '```',
    'See [the page](nobody.md) on `nobody`.',
    '- Ends by itself.',
  ];
  expect(refused('a.md', text.join('\n'))).toEqual(['1: "Nobody"', '6: "by itself"']);
});

it('plain-words refuses titles of tests that begin without a subject, also after a clause or in a table', () => {
  const text = [
    "describe('without a key', () => {",
    "  it('of two requests one wins', () => {});",
    "  it('(clause 5.2) when its user is deleted', () => {});",
    '  it.each<[string]>([["a"], ["b"]])(',
    "    'whose name is %s',",
    '    (name) => call(name)("in no test"),',
    '  );',
    "  it('is closed when its user is deleted', () => {});",
    "  test('GET, lists and reads need no scope', () => {});",
    "  test.concurrent.for([1])('In-flight requests end', () => {});",
    "  test('a key without a name is refused', () => {});",
    '});',
    "describe.each(['a'])('with %s', () => {});",
  ].join('\n');
  expect(refused('a.test.ts', text)).toEqual([
    '2: "of two requests one"',
    '3: "when its user is"',
    '5: "whose name is %s"',
    '8: "is closed when its"',
  ]);
  expect(refused('a.ts', text)).toEqual([]);
});
