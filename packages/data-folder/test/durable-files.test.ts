import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-copies-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it('a copy has mode 0600 before its first byte is there (contract 4, keys)', async () => {
  const [source, copy] = [join(dataDir, 'source'), join(dataDir, 'copy')];
  execFileSync('mkfifo', ['-m', '666', source]);
  const program = `import(${JSON.stringify(import.meta.resolve('../dist/durable-files.js'))})
    .then(({ copyDurably }) => copyDurably(${JSON.stringify(source)}, ${JSON.stringify(copy)}))`;
  const child = spawn('sh', ['-c', 'umask 0; exec "$0" -e "$1"', process.execPath, program], {
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  // The source is a pipe, so copying waits until the test writes to it, and the test can check the mode of the copy before.
  const pipe = await open(source, 'w');
  await expect.poll(() => existsSync(copy)).toBe(true);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await pipe.write('secret');
  await pipe.close();
  expect(await ended).toEqual([0, null]);
  expect(readFileSync(copy, 'utf8')).toBe('secret');
});
