import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Stores the report of a run with 5 passed tests and the named failed ones, as `.ci/run` does. */
function report(run: string, code: number, failed: string[] = []): void {
  const testResults = failed.map((title) => ({
    name: `/a/copy/tests/${title}.test.ts`,
    status: 'failed',
    assertionResults: [{ status: 'failed', fullName: title, failureMessages: ['no\nstack'] }],
  }));
  writeFileSync(join(folder, `${run}.json`), JSON.stringify({ numPassedTests: 5, testResults }));
  writeFileSync(join(folder, `${run}.status`), String(code));
}

function script(name: string, ...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [join(SCRIPTS, name), ...args]);
  return { status, lines: String(stdout).trim().split('\n') };
}
const count = (failedSteps = 0) => script('count-tests.mjs', folder, String(failedSteps));

it('the last line counts the passed and failed tests of all runs', () => {
  report('default', 0);
  report('slow', 1, ['one', 'two']);
  const { status, lines } = count();
  expect(status).toBe(1);
  expect(lines.at(-2)).toContain('two: no');
  expect(lines.at(-1)).toBe('10 passed, 2 failed');
});

it('a failed test whose file passes alone is named as unsteady and counts as passed', () => {
  report('slow', 1, ['one']);
  report('slow-again', 0);
  const { status, lines } = count();
  expect(status).toBe(0);
  expect(lines[0]).toMatch(/^unsteady in slow: .*one: no$/);
  expect(lines.at(-1)).toBe('6 passed, 0 failed');
});

it('a failed test whose file fails again, a failed step and a run without a report count as failures', () => {
  report('slow', 1, ['one']);
  report('slow-again', 1, ['one']);
  writeFileSync(join(folder, 'clients.status'), '1');
  expect(count(1).lines.at(-1)).toBe('5 passed, 3 failed');
});

it('a run that ends with an error but without a failed test counts as failed, also if a second run passes', () => {
  report('slow', 1);
  report('slow-again', 0);
  expect(count().lines.at(-1)).toBe('5 passed, 1 failed');
});

it('the failed files of a report are named from the root of their tree', () => {
  report('slow', 1, ['one', 'two']);
  const { lines } = script('failed-files.mjs', join(folder, 'slow.json'));
  expect(lines).toEqual(['tests/one.test.ts', 'tests/two.test.ts']);
  expect(script('failed-files.mjs', join(folder, 'none.json')).lines).toEqual(['']);
});
