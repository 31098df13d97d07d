import type { Server } from 'node:net';
import type { Clock, Config, Log, Stores } from '@svc/auth-core';
import { RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import type { GridAddress } from '@svc/webdriver-gate';
import { AiTests } from '../ai/ai-tests.ts';
import { prepareDataDir } from '../data-dir.ts';
import { ServerLock } from '../server-lock.ts';
import { type AccountOptions, type AccountServices, openAccounts } from './accounts.ts';
import { type CoreServices, openCore } from './core.ts';
import { type LabServices, openLab } from './lab.ts';

/** Everything the routes and the plugin work with, put together by hand in this folder. */
export interface Services extends Omit<CoreServices, 'stores'>, AccountServices, LabServices {
  readonly stores: Stores;
  readonly aiTests: AiTests;
  /** Why requests were refused, for Admins. */
  readonly refusals: RecentRefusals;
  /** Null unless commands are checked for the report only. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  /** Call it with the server this one listens on: a second start on the same data names it, drivers fetch apps from it. */
  announce(server: Server): void;
  /** Whether every check could run now; never throws. */
  readiness(): Readiness;
  close(): Promise<void>;
}

interface Readiness {
  readonly database: boolean;
  readonly signingKey: boolean;
  readonly migrations: boolean;
}

export interface ServicesOptions extends Omit<AccountOptions, 'countDevices'> {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** The grid this server is the entrance of; absent: none. */
  readonly upstream?: GridAddress | null;
}

/** Throws when another server runs on the same data. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  prepareDataDir(options.config.dataDir);
  const lock = await ServerLock.take(options.config);
  try {
    return await compose(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function compose(
  { config, log, clock = { now: Date.now }, upstream = null, ...options }: ServicesOptions,
  lock: ServerLock,
): Promise<Services> {
  const { stop: stopCore, ...core } = await openCore({ config, log, clock });
  if (config.authDisabled)
    log.warn('Authentication is DISABLED: everybody who reaches this server is a Super admin');
  const countDevices = (teamId: string): number =>
    labServices.lab.devices.list().filter((device) => device.teamId === teamId).length;
  const { close: closeAccounts, ...accounts } = await openAccounts(core, { ...options, countDevices });
  const { close: closeLab, announce: announceToLab, ...labServices } = openLab(core, upstream);
  return {
    ...core,
    ...accounts,
    ...labServices,
    aiTests: new AiTests(core.settings, { apiKey: config.ai.apiKey }),
    refusals: new RecentRefusals(clock),
    reportOnlyStats: config.commandAuthReportOnly && !config.authDisabled ? new ReportOnlyStats(clock) : null,
    announce: (server) => {
      lock.announce(server);
      announceToLab(server);
    },
    readiness: () => readinessOf(core),
    close: async () => {
      await closeLab();
      await closeAccounts();
      stopCore();
      core.stores.close();
      lock.release();
    },
  };
}

function readinessOf({ stores, keyRing }: CoreServices): Readiness {
  const { database, migrations } = stores.ready();
  return { database: database && canLookUp(stores), signingKey: keyRing.current !== undefined, migrations };
}

/** A file that opens may still lack what every check needs. */
function canLookUp({ accounts }: Stores): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}
