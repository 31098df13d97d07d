import type { Server } from 'node:net';
import type { AccountStores } from '@svc/accounts';
import type { Clock, Log } from '@svc/auth-core';
import { auditKeyFile, finishRestore, ServerLock, startFailure, UpgradeGuard } from '@svc/data-folder';
import type { LocalLab } from '@svc/device-lab';
import type { Module } from '@svc/module';
import { type Config, identityLine } from '@svc/settings';
import { makeFolder, openStore, SchemaMismatch, type SqliteStore } from '@svc/store-sqlite';
import { loadTelemetry, Metrics } from '@svc/telemetry';
import type { RequestTracing } from '@svc/webdriver-gate';
import type { UpstreamGrid } from '../grid/open-grid.ts';
import { VERSION } from '../runtime/resources.ts';
import { scheduleBackups } from '../schedules/backups.ts';
import { closeModules } from './close-modules.ts';
import { type Core, openCore } from './core.ts';
import { coreMetrics } from './core-metrics.ts';
import {
  type AccountModules,
  type AccountOptions,
  type LabModules,
  openAccountModules,
  openLabModules,
} from './modules.ts';

type Shared =
  | ('config' | 'log' | 'clock' | 'random' | 'audit' | 'signer' | 'authenticator' | 'rateLimiter' | 'tickets')
  | ('openConnections' | 'settings');

/** What the API and the plugin use: the core, the modules that are open, and the state of the server. */
export interface AccountServices extends Pick<Core, Shared> {
  readonly stores: AccountStores;
  readonly modules: AccountModules & Partial<LabModules>;
  readonly metrics: Metrics;
  /** Tracer of requests, or null if no traces are sent. */
  readonly tracing: RequestTracing | null;
  readonly localLab: LocalLab | null;
  /**
   * Whether this start has changed the database tables. The change is undone if the start fails before the server
   * listens.
   */
  readonly isUpgraded: boolean;
  /**
   * Gives the services the HTTP server of this process. They read its address, from which drivers fetch apps. The
   * address is also stored in the lock file of the data folder, so that the error of a second server that is started on
   * the same folder can name it.
   */
  announce(server: Server): void;
  /**
   * Returns whether the database, the signing key and the tables are ready. Without them, no request can be
   * authenticated. Never throws.
   */
  readiness(): Readiness;
  close(): Promise<void>;
}

/** Services of a server with phones. */
export interface Services extends AccountServices {
  readonly modules: AccountModules & LabModules;
}

interface Readiness {
  readonly database: boolean;
  readonly signingKey: boolean;
  readonly migrations: boolean;
}

export interface ServicesOptions extends AccountOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** The grid behind this server (`SVC_UPSTREAM`). */
  readonly upstream?: UpstreamGrid | null;
  readonly localLab?: LocalLab | null;
}

/** Opens all services. Throws if another server already uses the same data folder. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const withLab = (core: Core, modules: AccountModules): AccountModules & LabModules => {
    const { upstream = null, localLab = null } = options;
    const accounts = modules.accounts.offers;
    return { ...modules, ...openLabModules(core, { upstream, localLab, accounts }) };
  };
  return (await openIn(options, withLab)) as Services;
}

/** Opens the services of a server without phones, which only authenticates. Nothing about phones runs in it. */
export async function openAccountServices(options: ServicesOptions): Promise<AccountServices> {
  return await openIn(options, (_core, modules) => modules);
}

/** Opens further modules beside those of accounts. */
type More = (core: Core, modules: AccountModules) => AccountServices['modules'];

async function openIn(options: ServicesOptions, more: More): Promise<AccountServices> {
  const { config, log } = options;
  let lock: ServerLock | undefined;
  try {
    makeFolder(config.dataDir);
    lock = await ServerLock.take(config);
    if (finishRestore(config)) log.warn('An interrupted restore was completed');
    return await openOrGoBack(options, lock, more);
  } catch (error) {
    lock?.release();
    throw startFailure(error, config);
  }
}

/**
 * Opens the services. If opening fails, undoes a change of the tables that this start made, or that an earlier start
 * made without ever listening.
 */
async function openOrGoBack(
  options: ServicesOptions,
  lock: ServerLock,
  more: More,
): Promise<AccountServices> {
  const guard = upgradeGuard(options);
  try {
    return await open(options, { lock, guard, more });
  } catch (error) {
    const wentBack = guard.isOpen && guard.goBack();
    // The tables came from a newer version that had upgraded them but never listened. They have just been restored, so
    // this older version tries to open the services again.
    const isPast = wentBack && error instanceof SchemaMismatch && error.kind === 'newer';
    if (!isPast) throw error;
    return await open(options, { lock, guard, more });
  }
}

function upgradeGuard({
  config,
  log,
  clock = { now: Date.now },
}: Pick<ServicesOptions, 'config' | 'log' | 'clock'>): UpgradeGuard {
  const { dir, keep } = config.backup;
  return new UpgradeGuard({ place: config, dir, keep, version: VERSION, now: () => clock.now(), log });
}

async function open(options: ServicesOptions, opened: Omit<Opened, 'stores'>): Promise<AccountServices> {
  const { config, log, clock = { now: Date.now } } = options;
  const stores = await openStore({
    file: config.databaseFile,
    auditKeyFile: auditKeyFile(config.dataDir),
    clock,
    log,
    autoMigrate: config.autoMigrate,
    beforeChange: () => opened.guard.begin(),
  });
  try {
    return await compose({ ...options, clock }, { ...opened, stores });
  } catch (error) {
    stores.close();
    throw error;
  }
}

interface Opened {
  readonly stores: SqliteStore;
  readonly lock: ServerLock;
  readonly guard: UpgradeGuard;
  readonly more: More;
}

async function compose(
  options: ServicesOptions & { readonly clock: Clock },
  { stores, lock, guard, more }: Opened,
): Promise<AccountServices> {
  const { config, log, clock, localLab = null } = options;
  const TelemetryOf = await loadTelemetry(config);
  const { core, modules: first, stop: stopCore } = await openCore({ config, log, clock, stores });
  if (config.authDisabled)
    log.warn('Authentication is DISABLED: everybody who reaches this server is a Super admin');
  const identity = identityLine(config);
  if (identity !== undefined) log.info(identity);
  const modules = more(core, { ...first, ...(await openAccountModules(core, options)) });
  const backups = scheduleBackups({ config, clock, log });
  // In the order in which they were opened: each uses only those before it.
  const opened: readonly Module<unknown>[] = Object.values(modules);
  for (const { schedules } of opened) for (const schedule of schedules) schedule.start();
  const metrics = new Metrics({
    version: VERSION,
    modules: [...coreMetrics(core), ...opened.flatMap((each) => each.metrics)],
  });
  const { outbound } = core;
  const telemetry =
    TelemetryOf === null
      ? null
      : new TelemetryOf({
          ...{ config, version: VERSION, metrics: metrics.all, outbound, clock, log },
          instance: config.dataDir,
        });
  return {
    ...core,
    ...{ modules, metrics, localLab },
    tracing: telemetry?.tracing ?? null,
    isUpgraded: guard.isOpen,
    announce: (server) => {
      lock.announce(server);
      core.listening.announce(server);
      whenListening(server, () => {
        guard.confirm();
        void modules.lab?.offers.hostSources.announce();
      });
    },
    readiness: () => readinessOf(core),
    close: async () => {
      backups.stop();
      modules.lab?.offers.lab.queue.close();
      await closeModules(opened, log);
      await telemetry?.stop();
      stopCore();
      stores.close();
      // An open guard means that a change of the tables was never confirmed, because no server has listened since. Undo
      // that change.
      if (guard.isOpen) guard.goBack();
      lock.release();
    },
  };
}

/**
 * Runs `act` when the server listens and before it reads the first request. `act` makes a change of the tables final,
 * because undoing it after the first request would also discard what requests have written.
 */
function whenListening(server: Server, act: () => void): void {
  if (server.listening) act();
  else server.prependOnceListener('listening', act);
}

function readinessOf({ stores, keyRing }: Core): Readiness {
  const { database, migrations } = stores.ready();
  return { database: database && canLookUp(stores), signingKey: keyRing.current !== undefined, migrations };
}

/**
 * Returns whether the database can look up an account. A database that can be opened may still lack the tables that
 * every check needs.
 */
function canLookUp({ accounts }: AccountStores): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}
