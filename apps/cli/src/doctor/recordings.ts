import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordingFolder } from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { type Finding, ok, skipped, warning } from './finding.ts';

const CHECK = 'recordings';
const GIB = 1024 ** 3;
const FOLDER = /^[0-9a-f]{32}$/;

/** Reports the size of all recordings, and warns if the disk is too small for recordings to reach their size limit. */
export function checkRecordings({ dataDir, recording }: Config): Finding {
  const folder = recordingFolder(dataDir);
  const names = entriesOf(folder).filter((name) => FOLDER.test(name));
  if (names.length === 0) return skipped(CHECK, 'No session is recorded');
  const files = names.flatMap((name) =>
    entriesOf(join(folder, name)).map((file) => join(folder, name, file)),
  );
  const used = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  const message = `${names.length} recordings take ${gib(used)} of at most ${gib(recording.allBytes)}`;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (used + free >= recording.allBytes) return ok(CHECK, message);
  const fix = 'Lower SVC_RECORDINGS_MAX_BYTES or SVC_RECORDING_RETENTION_DAYS, or use a larger disk.';
  return warning(CHECK, `${message}, but the disk has only ${gib(free)} left`, fix);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, or a running server has just removed it.
    return [];
  }
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(2)} GiB`;
}
