import { type BackupRequest, type DataPlace, isNoRoom, makeBackup, pruneBackups } from '@svc/data-folder';

/** First argument of the process, as JSON. */
export interface BackupJob {
  readonly place: DataPlace;
  readonly request: BackupRequest;
  /** Number of backups to keep. */
  readonly keep: number;
}

/** Makes a scheduled backup. This runs in a separate process, so that no request waits for it. */
const [, , argument = ''] = process.argv;
const { place, request, keep } = JSON.parse(argument) as BackupJob;
try {
  makeBackup(place, request);
  pruneBackups(request.dir, { kind: request.kind, dataDir: place.dataDir, keep });
} catch (error) {
  const reason = isNoRoom(error) ? `There is no room left on the disk of ${request.dir}` : messageOf(error);
  // Write the reason to standard error, from which the server reads and logs it.
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
