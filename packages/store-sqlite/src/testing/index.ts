import { SealingKey } from '@svc/accounts';
import type { Clock } from '@svc/auth-core';
import { fakeClock, NOON, seededRandom, silentLog, TEST_AUDIT_KEY } from '@svc/auth-core/testing';
import type {
  AttachAddress,
  AttachStore,
  CareStore,
  CleaningRow,
  CleaningStore,
  CommandLogStore,
  DeviceSetting,
  DeviceSettingStore,
  DriverSession,
  DriverSessionStore,
  EventLogStore,
  HealthRow,
  HealthStore,
  HourOfUse,
  Lease,
  LeaseStore,
  LogChunk,
  LoggedEvent,
  PhoneUseStore,
} from '@svc/device-lab';
import type { NodeRecord, NodeStore } from '@svc/nodes';
import type { DeliveryRecord, WebhookStore } from '@svc/webhooks';
import type Database from 'better-sqlite3';
import { Connection } from '../connection/connection.ts';
import { openDatabase } from '../connection/held-database.ts';
import { type SqliteStore, storesOn } from '../open.ts';
import { createTables } from '../schema/migration-history.ts';
import { MIGRATIONS } from '../schema/migrations/index.ts';
import { ATTACH_ADDRESSES } from '../stores/attach.ts';
import { AuditChain } from '../stores/audit-chain.ts';
import { PHONE_CLEANING } from '../stores/cleaning.ts';
import { COMMAND_LOG } from '../stores/command-log.ts';
import { DEVICE_SETTINGS } from '../stores/device-settings.ts';
import { DRIVER_SESSIONS } from '../stores/driver-sessions.ts';
import { EVENT_LOG } from '../stores/event-log.ts';
import { PHONE_HEALTH } from '../stores/health.ts';
import { LEASES } from '../stores/leases.ts';
import { NODES } from '../stores/nodes.ts';
import { PHONE_USE } from '../stores/phone-use.ts';
import { Rows, type Table } from '../stores/table.ts';
import { WEBHOOK_DELIVERIES } from '../stores/webhooks.ts';

interface MemoryOptions {
  readonly clock?: Clock;
  /** Whether rows can name accounts and teams that do not exist. Removing a row then removes no other. */
  readonly loose?: boolean;
}

/** @returns the stores of a new database that SQLite keeps in memory, for unit tests of other packages */
export function memoryStores({ clock = fakeClock(NOON), loose = false }: MemoryOptions = {}): SqliteStore {
  return storesIn(memoryDatabase(loose), clock);
}

/** A store whose rows a test can read. If `failing` is set, every call throws this error. */
export type Tested<S, E> = S & { failing: Error | null; readonly rows: E[] };

export interface LabStores {
  readonly sessions: Tested<DriverSessionStore, Omit<DriverSession, 'agent'>>;
  readonly commands: Tested<CommandLogStore, LogChunk>;
  readonly deviceSettings: Tested<DeviceSettingStore, DeviceSetting>;
  readonly leases: Tested<LeaseStore, Lease>;
  readonly care: CareStore;
  readonly cleaning: Tested<CleaningStore, CleaningRow>;
  readonly health: Tested<HealthStore, HealthRow>;
  readonly attach: Tested<AttachStore, Omit<AttachAddress, 'lastUse'>>;
  readonly eventLog: Tested<EventLogStore, LoggedEvent>;
  readonly phoneUse: Tested<PhoneUseStore, HourOfUse>;
  readonly nodes: Tested<NodeStore, NodeRecord>;
  /** The rows are the deliveries, oldest first. */
  readonly webhooks: Tested<WebhookStore, Omit<DeliveryRecord, 'outcome'>>;
}

/** @returns the stores of the lab in a new database in memory */
export function labStores({ loose = true }: Pick<MemoryOptions, 'loose'> = {}): LabStores {
  const database = memoryDatabase(loose);
  const stores = storesIn(database, fakeClock(NOON));
  const connection = new Connection(database);
  const tested = <S extends object, E extends object>(store: S, table: Table<E>, rest = ''): Tested<S, E> =>
    observed(store, new Rows(connection, table).all(rest));
  return {
    sessions: tested(stores.driverSessions, DRIVER_SESSIONS),
    commands: tested(stores.commandLog, COMMAND_LOG, 'order by session_id, seq'),
    deviceSettings: tested(stores.deviceSettings, DEVICE_SETTINGS),
    leases: tested(stores.leases, LEASES),
    care: stores.care,
    cleaning: tested(stores.cleaning, PHONE_CLEANING),
    health: tested(stores.phoneHealth, PHONE_HEALTH, 'order by udid, at'),
    attach: tested(stores.attach, ATTACH_ADDRESSES),
    eventLog: tested(stores.eventLog, EVENT_LOG, 'order by number'),
    phoneUse: tested(stores.phoneUse, PHONE_USE, 'order by hour, udid'),
    nodes: tested(stores.nodes, NODES),
    webhooks: tested(stores.webhooks, WEBHOOK_DELIVERIES, 'order by created_at, rowid'),
  };
}

/** File of an empty database with the tables of this version. A database opens from it five times as fast. */
let emptyFile: Buffer | undefined;

function memoryDatabase(loose: boolean): Database.Database {
  if (emptyFile === undefined) {
    const empty = openDatabase(':memory:');
    createTables(empty, MIGRATIONS);
    emptyFile = empty.serialize();
  }
  const database = openDatabase(emptyFile);
  database.exec(`pragma foreign_keys = ${loose ? 'off' : 'on'}`);
  return database;
}

function storesIn(database: Database.Database, clock: Clock): SqliteStore {
  const key = Buffer.from(TEST_AUDIT_KEY, 'hex');
  const parts = {
    chain: new AuditChain(key),
    sealingKey: new SealingKey(key, 'webhooks', seededRandom(1)),
    ready: () => ({ database: true, migrations: true }),
  };
  return storesOn(database, parts, { clock, log: silentLog() });
}

function observed<S extends object, E>(store: S, all: (params: object) => E[]): Tested<S, E> {
  const state = { failing: null as Error | null };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'rows') return all({});
      if (name === 'failing') return state.failing;
      const method = Reflect.get(target, name);
      if (state.failing === null || typeof method !== 'function') return method;
      return () => {
        throw state.failing;
      };
    },
    set: (target, name, value) =>
      name === 'failing' ? Reflect.set(state, name, value) : Reflect.set(target, name, value),
  }) as Tested<S, E>;
}

export * from './account-rows.ts';
