import type { Server } from 'node:net';
import { type HasherPool, type Mailer, openAccounts } from '@svc/accounts';
import type { Clock, Log, Stores } from '@svc/auth-core';
import { auditKeyFile, finishRestore, ServerLock, startFailure, UpgradeGuard } from '@svc/data-folder';
import { RecentRefusals, ReportOnlyStats, tokenExpiring } from '@svc/device-lab';
import { LocalWebDriver } from '@svc/mcp';
import { type Config, identityLine } from '@svc/settings';
import { makeFolder, openStore, SchemaMismatch, type SqliteStore } from '@svc/store-sqlite';
import { loadTelemetry, Metrics } from '@svc/telemetry';
import type { RequestTracing } from '@svc/webdriver-gate';
import { AiTests } from '../ai/ai-tests.ts';
import type { UpstreamGrid } from '../grid/open-grid.ts';
import { createHasherPool } from '../hashing/password-hasher.ts';
import { startHasher } from '../hashing/start-hasher.ts';
import { commonPasswords } from '../runtime/common-passwords.ts';
import { VERSION } from '../runtime/resources.ts';
import { scheduleBackups } from '../schedules/backups.ts';
import { type CoreServices, openCore } from './core.ts';
import { type LabServices, openLab } from './lab.ts';
import type { LocalLab } from './local-lab.ts';
import type { Modules } from './modules.ts';

/**
 * All services that routes and the plugin use. The modules of this folder create the services and pass each one its
 * dependencies.
 */
export interface Services extends Omit<CoreServices, 'stores'>, Omit<LabServices, 'modules'> {
  readonly modules: Modules;
  readonly stores: Stores;
  readonly aiTests: AiTests;
  readonly metrics: Metrics;
  /** Tracer of requests, or null if no traces are sent. */
  readonly tracing: RequestTracing | null;
  /** The recent refusals with their reasons, which Admins can look up. */
  readonly refusals: RecentRefusals;
  /** Counts of the commands that would have been refused, or null unless the command check is in report-only mode. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly localLab: LocalLab | null;
  /**
   * Sends WebDriver requests of agents through the gate of this server, which checks them like those of other clients.
   */
  readonly webDriver: LocalWebDriver;
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

interface Readiness {
  readonly database: boolean;
  readonly signingKey: boolean;
  readonly migrations: boolean;
}

export interface ServicesOptions {
  /** Sender of mail that replaces the server in `SVC_SMTP_URL`. */
  readonly mailer?: Mailer;
  /** Password hasher that replaces bcrypt in worker threads. */
  readonly hasher?: HasherPool;
  /**
   * Whether opening does not wait for the first account, whose password takes a quarter of a second to hash. The caller
   * must then wait for `firstAccount` of the accounts before it serves requests that need an account.
   */
  readonly addsFirstAccountLater?: boolean;
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** The grid behind this server (`SVC_UPSTREAM`). */
  readonly upstream?: UpstreamGrid | null;
  readonly localLab?: LocalLab | null;
}

/** Opens all services. Throws if another server already uses the same data folder. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, log } = options;
  let lock: ServerLock | undefined;
  try {
    makeFolder(config.dataDir);
    lock = await ServerLock.take(config);
    if (finishRestore(config)) log.warn('An interrupted restore was completed');
    return await openOrGoBack(options, lock);
  } catch (error) {
    lock?.release();
    throw startFailure(error, config);
  }
}

/**
 * Opens the services. If opening fails, undoes a change of the tables that this start made, or that an earlier start
 * made without ever listening.
 */
async function openOrGoBack(options: ServicesOptions, lock: ServerLock): Promise<Services> {
  const guard = upgradeGuard(options);
  try {
    return await open(options, lock, guard);
  } catch (error) {
    const wentBack = guard.isOpen && guard.goBack();
    // The tables came from a newer version that had upgraded them but never listened. They have just been restored, so
    // this older version tries to open the services again.
    const isPast = wentBack && error instanceof SchemaMismatch && error.kind === 'newer';
    if (!isPast) throw error;
    return await open(options, lock, guard);
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

async function open(options: ServicesOptions, lock: ServerLock, guard: UpgradeGuard): Promise<Services> {
  const { config, log, clock = { now: Date.now } } = options;
  const stores = await openStore({
    file: config.databaseFile,
    auditKeyFile: auditKeyFile(config.dataDir),
    clock,
    log,
    autoMigrate: config.autoMigrate,
    beforeChange: () => guard.begin(),
  });
  try {
    return await compose({ ...options, clock }, { stores, lock, guard });
  } catch (error) {
    stores.close();
    throw error;
  }
}

interface Opened {
  readonly stores: SqliteStore;
  readonly lock: ServerLock;
  readonly guard: UpgradeGuard;
}

async function compose(
  {
    config,
    log,
    clock,
    upstream = null,
    localLab = null,
    ...options
  }: ServicesOptions & { readonly clock: Clock },
  { stores, lock, guard }: Opened,
): Promise<Services> {
  const TelemetryOf = await loadTelemetry(config);
  const { stop: stopCore, ...core } = await openCore({ config, log, clock, stores });
  if (config.authDisabled)
    log.warn('Authentication is DISABLED: everybody who reaches this server is a Super admin');
  const identity = identityLine(config);
  if (identity !== undefined) log.info(identity);
  const accounts = await openAccounts({
    ...core,
    hasher: options.hasher ?? createHasherPool(config.bcryptCost),
    startHasher: options.addsFirstAccountLater ? null : (options.hasher ?? startHasher(config.bcryptCost)),
    isCommonPassword: config.passwordBlocklist ? commonPasswords() : undefined,
    mailer: options.mailer,
    // Devices that are away (not connected) count as well, because their team is stored.
    countDevices: (teamId) => stores.deviceSettings.all().filter((each) => each.teamId === teamId).length,
    countWebhooks: (teamId) => stores.webhooks.all().filter((each) => each.teamId === teamId).length,
  });
  const { changes, cascade } = accounts.offers;
  const {
    close: closeLab,
    announce: announceToLab,
    ...labServices
  } = openLab(core, { upstream, sources: localLab?.sources ?? [], cascade });
  const backups = scheduleBackups({ config, clock, log });
  accounts.offers.onTokenExpiring((expiring) => labServices.lab.events.publish(tokenExpiring(expiring)));
  changes.onChange(labServices.accountChanged);
  changes.onRemoval(() => labServices.leases.recheck());
  const modules = { accounts, ...labServices.modules };
  for (const schedule of accounts.schedules) schedule.start();
  const metrics = new Metrics({
    ...{ version: VERSION, core, labServices },
    modules: Object.values(modules).flatMap((each) => each.metrics),
  });
  const { outbound } = core;
  const telemetry =
    TelemetryOf === null
      ? null
      : new TelemetryOf({
          config,
          instance: config.dataDir,
          version: VERSION,
          metrics: metrics.all,
          outbound,
          clock,
          log,
        });
  return {
    ...core,
    ...labServices,
    modules,
    metrics,
    tracing: telemetry?.tracing ?? null,
    localLab,
    webDriver: new LocalWebDriver({
      sessions: labServices.lab.sessions,
      ...accounts.offers,
      config,
      localLab,
    }),
    aiTests: new AiTests(core.settings, { apiKey: config.ai.apiKey, outbound: core.outbound }),
    refusals: new RecentRefusals(clock),
    reportOnlyStats: config.commandAuthReportOnly && !config.authDisabled ? new ReportOnlyStats(clock) : null,
    isUpgraded: guard.isOpen,
    announce: (server) => {
      lock.announce(server);
      announceToLab(server);
      whenListening(server, () => {
        guard.confirm();
        void labServices.hostSources.announce();
      });
    },
    readiness: () => readinessOf(core),
    close: async () => {
      backups.stop();
      for (const schedule of accounts.schedules) schedule.stop();
      await closeLab();
      await accounts.close();
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

function readinessOf({ stores, keyRing }: CoreServices): Readiness {
  const { database, migrations } = stores.ready();
  return { database: database && canLookUp(stores), signingKey: keyRing.current !== undefined, migrations };
}

/**
 * Returns whether the database can look up an account. A database that can be opened may still lack the tables that
 * every check needs.
 */
function canLookUp({ accounts }: Stores): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}
