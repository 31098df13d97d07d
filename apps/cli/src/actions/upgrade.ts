import { existsSync } from 'node:fs';
import { VERSION } from '@svc/api/host.js';
import type { Log } from '@svc/auth-core';
import { finishRestore, ServerLock, UpgradeGuard } from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { makeFolder, type Trial, tryUpgrade } from '@svc/store-sqlite';
import { type Terminal, terminalLog } from '../terminal.ts';
import {
  CommandFailure,
  configOf,
  existingData,
  type FolderOptions,
  nothingAt,
  openFolder,
} from './data-folder.ts';
import { trialCopyOf } from './trial-copies.ts';

export interface UpgradeOptions extends FolderOptions {
  readonly acceptLoss?: boolean;
  readonly baseline?: boolean;
  readonly backup?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/**
 * Runs `svc upgrade`, which changes the tables as a start of the server would, without starting the server. If the next
 * start fails, that start undoes the change.
 */
export async function upgrade(options: UpgradeOptions, terminal: Terminal): Promise<number> {
  const config = configOf(options, terminal);
  const log = terminalLog(terminal);
  if (!existsSync(config.databaseFile)) await mayCreate(config, options, terminal);
  makeFolder(config.dataDir);
  const lock = await ServerLock.take(config);
  try {
    if (finishRestore(config)) log.info('An interrupted restore was completed');
    const guard = guardOf(config, log);
    const { acceptLoss = false, baseline = false } = options;
    try {
      const beforeChange = options.backup === false ? () => withoutWayBack(guard) : () => guard.begin();
      (await openFolder(config, log, { autoMigrate: true, acceptLoss, baseline, beforeChange })).close();
    } catch (error) {
      if (guard.isOpen) guard.goBack();
      throw error;
    }
    return 0;
  } finally {
    lock.release();
  }
}

/**
 * Called before the tables change if the user wants no backup. If an earlier upgrade could still be undone from its
 * backup, that upgrade becomes final, because the backup does not fit the changed tables.
 * @returns a function that does nothing, for the case that the tables do not change after all
 */
function withoutWayBack(guard: UpgradeGuard): () => void {
  guard.confirm();
  return () => undefined;
}

function guardOf(config: Config, log: Log): UpgradeGuard {
  const { dir, keep } = config.backup;
  return new UpgradeGuard({ place: config, dir, keep, version: VERSION, now: Date.now, log });
}

async function mayCreate(config: Config, { yes }: UpgradeOptions, terminal: Terminal): Promise<void> {
  const question = `There is no database at ${config.databaseFile}. Create a new one?`;
  const answer = yes ? true : await terminal.confirm(question);
  if (answer === undefined)
    throw new CommandFailure(`${nothingAt(config)} Use --yes to create a new one there.`);
  if (!answer) throw new CommandFailure('Nothing was created.');
}

/**
 * Runs `svc upgrade --plan`, which prints what an upgrade would change.
 * @returns exit code 1 if the upgrade would fail
 */
export async function printPlan(options: UpgradeOptions, terminal: Terminal): Promise<number> {
  const config = existingData(options, terminal);
  const { acceptLoss = false } = options;
  const silent = () => undefined;
  const log: Log = { debug: silent, info: silent, warn: terminalLog(terminal).warn, error: silent };
  const copy = trialCopyOf(config.databaseFile);
  const trial = await tryUpgrade(config.databaseFile, { copy, log, acceptLoss });
  terminal.out(options.json ? `${JSON.stringify(trial, null, 2)}\n` : planText(config, trial));
  return trial.problem === null ? 0 : 1;
}

const STEPS: Record<Trial['step'], string> = {
  none: 'Nothing changes, because the tables match this version.',
  deploy: 'The migration history matches the tables, so the pending migrations are applied.',
  push: 'The tables have no matching migration history, so they are changed directly to the shape of this version.',
};

function planText(
  { databaseFile, backup }: Config,
  { step, pending, changes, rows, tookMs, problem }: Trial,
): string {
  const moved = rows.filter(({ before, after }) => before !== after);
  const lines = [
    `Plan for ${databaseFile}, tried on a copy:`,
    STEPS[step],
    ...pending.map((name) => `  migration ${name}`),
    ...changes.map((change) => `  ${change}`),
    `Rows: ${rows.reduce((sum, { before }) => sum + before, 0)} in ${rows.length} tables; ${
      moved.length === 0 ? 'all of them are kept' : moved.map(movedText).join(', ')
    }.`,
    ...(step === 'none'
      ? ['No backup is made.']
      : [
          `A backup is made first, in ${backup.dir}. On the copy, the upgrade took ${Math.round(tookMs)} ms.`,
        ]),
    ...(problem === null ? [] : ['', 'The start would fail:', problem]),
  ];
  return `${lines.join('\n')}\n`;
}

function movedText({ table, before, after }: Trial['rows'][number]): string {
  return `${table} ${before} -> ${after ?? 'gone'}`;
}
