import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPublishedPassword } from '@svc/accounts';
import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

/** `PASSWORD=…` in a shell, an environment or a service file, and `"password": "…"` in JSON. */
const EXAMPLES = [
  /\w*PASSWORD=(?:'([^'\n]*)'|"([^"\n]*)"|([^\s`]+))/g,
  /"\w*password"\s*:\s*"([^"\n]*)"/gi,
  /^ *password {3}(\S+)/gm,
];

/** Text in place of a password: a variable, a command, a switch, or a description of what the reader has to write. */
const PLACEHOLDER = /^(?:\$|%s$|<|true$|false$)/;

function examplesIn(text: string): string[] {
  return EXAMPLES.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, ...values]) => values.find((value) => value !== undefined) ?? '')
    .filter((value) => !PLACEHOLDER.test(value));
}

it('every password that a page shows is one that gets a warning at each start (contract 5)', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '*.md', '*.yml', '*.yaml', '*.service'],
    {
      cwd: CHECKOUT,
      encoding: 'utf8',
    },
  );
  const shown = files
    .trim()
    .split('\n')
    .flatMap((file) =>
      examplesIn(readFileSync(join(CHECKOUT, file), 'utf8')).map((password) => ({ file, password })),
    );
  expect(shown).toContainEqual({ file: 'README.md', password: DEFAULT_ADMIN_PASSWORD });
  expect(shown.filter(({ password }) => !isPublishedPassword(password))).toEqual([]);
});

it('an example is found in each way of writing it (contract 5)', () => {
  expect(
    examplesIn(
      `A_PASSWORD='one two' PASSWORD="three" PASSWORD=four {"password":"five"} PASSWORD="$X"\n  password   six`,
    ),
  ).toEqual(['one two', 'three', 'four', 'five', 'six']);
});
