import { expect, it } from 'vitest';
import { printRows } from '../src/terminal.ts';

function printed(isRead: boolean, rows: readonly string[][]): string {
  let text = '';
  const out = (line: string) => {
    text += line;
  };
  const none = { env: {}, err() {}, input: async () => '', confirm: async () => undefined };
  printRows(['E-MAIL', 'ROLE'], rows, { ...none, out, isRead });
  return text;
}

const ROWS = [
  ['mia@lab.test', 'Admin'],
  ['a@b', 'Super admin'],
];

it('a command of svc prints rows for a person with headings and aligned columns', () => {
  expect(printed(true, ROWS)).toBe('E-MAIL        ROLE\nmia@lab.test  Admin\na@b           Super admin\n');
  expect(printed(true, [])).toBe('E-MAIL  ROLE\n');
});

it('a command of svc prints rows for another program with tabs and without headings', () => {
  expect(printed(false, ROWS)).toBe('mia@lab.test\tAdmin\na@b\tSuper admin\n');
  expect(printed(false, [])).toBe('');
});
