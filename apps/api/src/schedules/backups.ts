import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Clock, Log } from '@svc/auth-core';
import { listBackups } from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { BACKUP_PROCESS, VERSION } from '../runtime/resources.ts';
import type { BackupJob } from './backup-process.ts';

const HOUR_MS = 60 * 60 * 1000;
const LOOK_EVERY_MS = 60_000;
/** Delay of the first check after the start (ms), so that a backup that is due does not slow the start down. */
const FIRST_LOOK_MS = 5_000;
/** Delay after a failed backup (ms), unless the interval between backups is shorter. */
const RETRY_MS = 15 * 60_000;
const LONGEST_ERROR = 1_000;

interface BackupScheduleOptions {
  readonly config: Pick<Config, 'backup' | 'dataDir' | 'databaseFile'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the backup. The default, `runBackup`, does so in a separate process. */
  readonly run?: typeof runBackup;
}

/**
 * Makes a backup whenever the last scheduled backup is older than the interval. A restart does not reset the interval,
 * because the time of the last backup is read from its folder.
 */
export function scheduleBackups({ config, clock, log, run = runBackup }: BackupScheduleOptions): {
  stop(): void;
} {
  const { backup, dataDir } = config;
  if (backup.intervalHours === 0) return { stop: () => undefined };
  const intervalMs = backup.intervalHours * HOUR_MS;
  let dueAt = lastOf(backup.dir, dataDir) + intervalMs;
  let running: { stop(): void } | undefined;
  let isStopped = false;
  const look = () => {
    if (running !== undefined || clock.now() < dueAt) return;
    const began = clock.now();
    running = run(config, (failure) => {
      running = undefined;
      if (isStopped) return;
      dueAt = failure === null ? began + intervalMs : clock.now() + Math.min(RETRY_MS, intervalMs);
      if (failure !== null)
        log.error('The scheduled backup failed; the server tries again later', { failure });
    });
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  const first = setTimeout(look, FIRST_LOOK_MS).unref();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(first);
      running?.stop();
    },
  };
}

/** @returns the time of the last scheduled backup (ms since 1970), or 0 if there is none */
function lastOf(dir: string, dataDir: string): number {
  try {
    const made = listBackups(dir).filter(
      ({ manifest }) => manifest.kind === 'scheduled' && manifest.dataDir === dataDir,
    );
    return Date.parse(made.at(-1)?.manifest.createdAt ?? '1970-01-01');
  } catch {
    return 0;
  }
}

/**
 * Runs a backup in a separate process with low priority, so that no request waits for it. The process gets no
 * environment variables, because they may contain secrets.
 */
function runBackup(
  { backup, dataDir, databaseFile }: BackupScheduleOptions['config'],
  done: (failure: string | null) => void,
): { stop(): void } {
  const job: BackupJob = {
    place: { dataDir, databaseFile },
    request: {
      kind: 'scheduled',
      dir: backup.dir,
      withApps: backup.apps,
      withRecordings: backup.recordings,
      now: Date.now(),
      version: VERSION,
    },
    keep: backup.keep,
  };
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(BACKUP_PROCESS), JSON.stringify(job)], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-LONGEST_ERROR);
  });
  let isDone = false;
  const end = (failure: string | null) => {
    if (!isDone) done(failure);
    isDone = true;
  };
  child.once('error', (error) => end(String(error)));
  child.once('close', (code, signal) =>
    end(code === 0 ? null : output.trim() || `ended with ${code ?? signal}`),
  );
  lowerPriority(child);
  return { stop: () => child.kill() };
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The priority is unchanged if the process has already ended or if the system forbids the change.
  }
}
