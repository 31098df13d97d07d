import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@svc/store-sqlite';
import { hashFile, linkOrCopy, syncFolder } from '../durable-files.ts';
import { recordingFolder } from '../file-names.ts';
import type { BackupFile } from './manifest.ts';
import { isRecordingPath } from './recording-path.ts';

const FOLDER = /^[0-9a-f]{32}$/;
/** File that is written when a recording is complete. No file of the recording changes afterwards. */
const SUMMARY = 'recording.json';

/** Links or copies the complete recordings into a backup. A recording that is removed meanwhile is left out. */
export function takeRecordings(part: string, dataDir: string): BackupFile[] {
  const source = recordingFolder(dataDir);
  if (!existsSync(source)) return [];
  const keys = readdirSync(source).filter(
    (name) => FOLDER.test(name) && existsSync(join(source, name, SUMMARY)),
  );
  return keys.flatMap((key) => takeRecording(join(part, 'recordings', key), join(source, key)));
}

function takeRecording(target: string, source: string): BackupFile[] {
  makeFolder(target);
  try {
    const key = source.slice(-32);
    const names = readdirSync(source).filter((name) => isRecordingPath(`recordings/${key}/${name}`));
    for (const name of names) linkOrCopy(join(source, name), join(target, name));
    syncFolder(target);
    return names.map((name) => ({ path: `recordings/${key}/${name}`, ...hashFile(join(target, name)) }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    rmSync(target, { recursive: true, force: true });
    return [];
  }
}

/**
 * Restores the recordings that are in the backup but not in the data folder. Each recording appears in one step, as a
 * whole folder.
 */
export function putRecordings(dataDir: string, backup: string, files: readonly BackupFile[]): void {
  const paths = files.map(({ path }) => path).filter(isRecordingPath);
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    const target = join(dataDir, folder);
    if (existsSync(target)) continue;
    const draft = join(recordingFolder(dataDir), 'temporary', randomUUID());
    makeFolder(draft);
    for (const path of paths.filter((each) => dirname(each) === folder))
      linkOrCopy(join(backup, path), join(dataDir, path).replace(target, draft));
    syncFolder(draft);
    renameSync(draft, target);
  }
}
