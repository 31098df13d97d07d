import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Audit, breakGlass, type Config, type Log, Refusal, readConfig } from '@svc/auth-core';
import { openStore, type SqliteStore } from '@svc/store-sqlite';
import { auditReport } from './audit-report.ts';
import { auditKeyFile } from './data-dir.ts';
import { createHasherPool } from './hashing/password-hasher.ts';
import { commonPasswords } from './passwords/common-passwords.ts';

const USAGE = `Usage: svc <command>, on the host of the server and with its SVC_* environment

  svc admin reset-password <email>   set a temporary password, print it once, and end whatever the account has open;
                                     with --password-stdin the password is read from standard input
  svc audit verify                   check that no row of the audit trail was changed or removed
  svc audit head                     print count and hash of the audit trail, for keeping elsewhere
  svc migrate                        bring the database tables up to date
  svc proxy                          a loopback proxy that adds your credentials for tools that cannot send headers;
                                     \`svc proxy --help\` tells the rest

The first two work while the server runs.
`;

const clock = { now: Date.now };

/** Commands print their answer on standard output and nothing else; the rest goes to standard error. */
const log: Log = {
  debug: () => undefined,
  info: (message) => console.error(message),
  warn: (message) => console.error(message),
  error: (message) => console.error(message),
};

/** A wish that cannot be fulfilled, for the person at the terminal. */
class Failure extends Error {}

/** `svc admin …`, `svc audit …`, `svc migrate`: answers the exit code. */
export async function runHostCommand(args: string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    console.error(`svc: ${error instanceof Refusal ? error.code : (error as Error).message}`);
    return 1;
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { 'password-stdin': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    return (error as Error).message;
  }
}

async function run(args: string[]): Promise<number> {
  const read = readArguments(args);
  if (typeof read === 'string') {
    console.error(`svc: ${read}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = read;
  const [group, verb, operand, ...more] = positionals;
  const command = [group, verb].join(' ').trim();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (command === 'admin reset-password' && operand !== undefined && more.length === 0)
    return await withStore(false, (stores, config) =>
      resetPassword(stores, config, { email: operand, fromStdin: values['password-stdin'] === true }),
    );
  if (command === 'audit verify' && operand === undefined) return await withStore(false, verifyAudit);
  if (command === 'audit head' && operand === undefined) return await withStore(false, auditHead);
  if (command === 'migrate') return await withStore(true, () => 0);
  console.error(USAGE);
  return 2;
}

/** Opens the database beside the server that may be running on it; only `migrate` touches its tables. */
async function withStore(
  autoMigrate: boolean,
  work: (stores: SqliteStore, config: Config) => number | Promise<number>,
): Promise<number> {
  const { config } = readConfig({
    env: process.env,
    homeDir: homedir(),
    readFile: (path) => readFileSync(path, 'utf8'),
    resolvePath: resolve,
  });
  const { databaseFile: file, dataDir } = config;
  const stores = await openStore({ file, auditKeyFile: auditKeyFile(dataDir), clock, log, autoMigrate });
  try {
    return await work(stores, config);
  } finally {
    stores.close();
  }
}

async function resetPassword(
  stores: SqliteStore,
  config: Config,
  { email, fromStdin }: { email: string; fromStdin: boolean },
): Promise<number> {
  const given = fromStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined;
  const hasher = createHasherPool(config.bcryptCost);
  try {
    const random = { bytes: randomBytes, uuid: randomUUID };
    const done = await breakGlass(email, given, {
      stores,
      clock,
      random,
      hasher,
      audit: new Audit(stores, clock, random),
      isCommonPassword: config.passwordBlocklist ? commonPasswords() : undefined,
    });
    if (done === undefined) throw new Failure(`there is no account ${email}`);
    const { account, password } = done;
    log.info(
      `The password of ${account.email} (${account.role}) was reset and everything it had open ended.`,
    );
    if (account.status !== 'Active') log.warn('The account is Inactive: nobody can sign in with it.');
    if (given === undefined) {
      log.info('This temporary password is shown once; it lapses after 7 days if nobody uses it:');
      console.log(password);
    }
    return 0;
  } finally {
    await hasher.close();
  }
}

function verifyAudit(stores: SqliteStore): number {
  const check = stores.audit.check();
  for (const line of auditReport(check)) console.log(line);
  return check.problem === null ? 0 : 1;
}

function auditHead(stores: SqliteStore): number {
  const { count, hash } = stores.audit.head();
  console.log(`${count} ${hash}`);
  return 0;
}
