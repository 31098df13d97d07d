import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { BY_COMMAND_LINE } from '@svc/accounts';
import { Audit, longestLife, signingKey } from '@svc/auth-core';
import type { AuditEventName } from '@svc/contract';
import { advance, announceNext, dropAll, KeyFiles, withKeyLock } from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { type Terminal, terminalLog } from '../terminal.ts';
import { CommandFailure, configOf, type FolderOptions, withStore } from './data-folder.ts';

const MINUTE_MS = 60_000;
/** Length of the id of a key, which is the base64url text of 32 bytes. */
const KEY_ID_LENGTH = 43;
const LONGEST_MINUTES = 30 * 24 * 60;

export interface RotateOptions extends FolderOptions {
  /** Minutes between the publication of the next key and its first signature. */
  readonly in: string;
}

export interface CompromiseOptions extends FolderOptions {
  readonly yes?: boolean;
}

/** Runs `svc keys list`, which prints the id of each key and what the key is used for. */
export async function listKeys(options: FolderOptions, terminal: Terminal): Promise<number> {
  const { files } = open(options, terminal);
  const log = terminalLog(terminal);
  const pem = files.current(log);
  if (pem === undefined) throw new CommandFailure('There is no signing key. The first start creates one.');
  const { next, retired } = files.ring(log);
  if (terminal.isRead) terminal.out(`${'KEY'.padEnd(KEY_ID_LENGTH)}  USE\n`);
  terminal.out(`${(await signingKey(pem)).kid}  signs\n`);
  if (next !== null) terminal.out(`${(await signingKey(next.pem)).kid}  signs from ${time(next.useFrom)}\n`);
  for (const { jwk, until } of retired) {
    const state = until > Date.now() ? `verifies until ${time(until)}` : 'no longer verifies tokens';
    terminal.out(`${jwk.kid}  ${state}\n`);
  }
  return 0;
}

/**
 * Runs `svc keys rotate`, which publishes the next key immediately. The key signs only later, so that other servers
 * that verify tokens have it by then.
 */
export async function rotateKeys(options: RotateOptions, terminal: Terminal): Promise<number> {
  const { config, files } = open(options, terminal);
  const log = terminalLog(terminal);
  const minutes = /^\d{1,6}$/.test(options.in) ? Number(options.in) : Number.NaN;
  if (!(minutes <= LONGEST_MINUTES))
    throw new CommandFailure(`--in must be a whole number of minutes from 0 to ${LONGEST_MINUTES}.`);
  const longestLifeMs = longestLife(config.mcpTokenTtl) * 1000;
  const now = Date.now();
  const kid = await withKeyLock(config.dataDir, async () => {
    const announced = await announceNext(files, now + minutes * MINUTE_MS, log);
    if (minutes === 0) await advance(files, { now, longestLifeMs }, log);
    return announced;
  });
  await note('sys_signing_key_announced', kid, options, terminal);
  log.info(
    minutes === 0
      ? 'Tokens are now signed with another key:'
      : `The next key is published and signs from ${time(now + minutes * MINUTE_MS)}, or the next start after it:`,
  );
  terminal.out(`${kid}\n`);
  log.info(
    `The previous key verifies tokens until the last one it signed has expired, ${Math.ceil(longestLifeMs / MINUTE_MS)} minutes ` +
      'later. A running server uses the change within a second. Back up the data folder.',
  );
  return 0;
}

/**
 * Runs `svc keys compromise`, which replaces all signing keys by a new one, so that everything they signed becomes
 * invalid.
 */
export async function dropKeys(options: CompromiseOptions, terminal: Terminal): Promise<number> {
  const { config, files } = open(options, terminal);
  const log = terminalLog(terminal);
  const question =
    'Every token and ticket becomes invalid immediately, and open previews, event connections and sockets close. Continue?';
  const isSure = options.yes ? true : await terminal.confirm(question);
  if (isSure === undefined) throw new CommandFailure(`${question} Use --yes to confirm without a prompt.`);
  if (!isSure) throw new CommandFailure('Nothing was changed.');
  const kid = await withKeyLock(config.dataDir, () => dropAll(files));
  await note('sys_signing_keys_dropped', kid, options, terminal);
  log.info('Tokens are now signed with a new key, and no other key verifies tokens:');
  terminal.out(`${kid}\n`);
  log.info(
    'A running server uses the change within a second, and its nodes within 30 seconds. ' +
      'Sign-ins and key pairs are not signed, so they stay valid.',
  );
  return 0;
}

function open(options: FolderOptions, terminal: Terminal): { config: Config; files: KeyFiles } {
  const config = configOf(options, terminal);
  if (!existsSync(config.dataDir))
    throw new CommandFailure(
      `There is no folder ${config.dataDir}. Name the data folder of the server with --data-dir <folder> or SVC_DATA_DIR.`,
    );
  return { config, files: new KeyFiles(config.dataDir) };
}

/**
 * Records the change of the keys in the audit trail. A failure to write the row is only reported, because the keys have
 * already changed.
 */
async function note(
  event: AuditEventName,
  kid: string,
  options: FolderOptions,
  terminal: Terminal,
): Promise<void> {
  try {
    await withStore(options, terminal, (stores) => {
      const audit = new Audit(stores, { now: Date.now }, { bytes: randomBytes, uuid: randomUUID });
      audit.recordBestEffort(event, { ...BY_COMMAND_LINE, target: kid, reason: 'command on the host' });
      audit.flush({ closing: true });
    });
  } catch (error) {
    terminal.err(`Writing the audit row failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
