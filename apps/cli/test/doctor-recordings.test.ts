import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '@svc/settings';
import { expect, it } from 'vitest';
import { checkRecordings } from '../src/doctor/recordings.ts';

it('svc doctor tells how much the recordings take, and warns of a disk that is too small for them', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  const config = (allBytes: number) => ({ dataDir, recording: { allBytes } }) as unknown as Config;
  expect(checkRecordings(config(1))).toMatchObject({ check: 'recordings', outcome: 'skipped' });
  const folder = join(dataDir, 'recordings', 'a'.repeat(32));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'chunk-000000.rec'), Buffer.alloc(11 * 1024 ** 2));
  expect(checkRecordings(config(1024 ** 3))).toMatchObject({
    outcome: 'ok',
    message: '1 recordings take 0.01 GiB of at most 1.00 GiB',
  });
  expect(checkRecordings(config(Number.MAX_SAFE_INTEGER))).toMatchObject({ outcome: 'warning' });
  rmSync(dataDir, { recursive: true });
});
