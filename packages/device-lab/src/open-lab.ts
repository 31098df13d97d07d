import type { Audit, Authenticator, Cascade, Clock, Log, Random, Stores, Tickets } from '@svc/auth-core';
import { every, flushing, HOUR_MS, type Module, type OpenConnections, removing } from '@svc/module';
import type { Config, Settings } from '@svc/settings';
import { AgentDirectory } from './agents/agent-directory.ts';
import { agentHandlers } from './agents/handlers.ts';
import { AppLibrary } from './apps/app-library.ts';
import { appHandlers } from './apps/handlers.ts';
import type { AppFiles, AppStore } from './apps/library-app.ts';
import { SessionApps } from './apps/session-apps.ts';
import type { AttachStore } from './attach/attach-address.ts';
import { AttachAddresses } from './attach/attach-addresses.ts';
import { attachHandlers } from './attach/handlers.ts';
import type { CommandLogStore } from './command-log/entry.ts';
import { leaseHandlers } from './control/lease-handlers.ts';
import { Leases } from './control/leases.ts';
import { DriverPorts } from './decided/driver-ports.ts';
import { DeviceLab } from './device-lab.ts';
import type { DeviceSettingStore } from './device-settings.ts';
import type { DriverSessionStore } from './driver-session.ts';
import type { EndRecorder } from './driver-sessions.ts';
import { accountChanged } from './events/account-events.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { EventLog, EventLogStore } from './events/event-log.ts';
import { eventHandlers } from './events/handlers.ts';
import { liveEvents } from './events/live-events.ts';
import { labMetrics } from './lab-metrics.ts';
import type { LeaseStore } from './leases/lease.ts';
import { SessionDirectory } from './session-directory.ts';
import { sessionHandlers } from './session-handlers.ts';
import type { AccountTimesStore, ShareStore } from './shares/share-limits.ts';
import type { AdbAddress } from './sources/adb/adb-connection.ts';
import type { DeviceSource } from './sources/device-source.ts';
import { adbAddressOf, buildFolder, deviceSources } from './sources/device-sources.ts';
import { HostSources } from './sources/host-sources.ts';
import { useHandlers } from './use/handlers.ts';
import type { PhoneUseStore } from './use/phone-use.ts';
import { UseDirectory } from './use/use-directory.ts';
import { UseMeter } from './use/use-meter.ts';

const SWEEP_MS = 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Stores of the lab, beside those of accounts. */
interface LabStores extends Stores {
  readonly accountTimes: AccountTimesStore;
  readonly apps: AppStore;
  readonly attach: AttachStore;
  readonly commandLog: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  readonly driverSessions: DriverSessionStore;
  readonly eventLog: EventLogStore;
  readonly leases: LeaseStore;
  readonly phoneUse: PhoneUseStore;
  readonly shareLimits: ShareStore;
}

interface Needs {
  readonly config: Config;
  readonly settings: Pick<Settings, 'current'>;
  readonly stores: LabStores;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly tickets: Tickets;
  readonly openConnections: OpenConnections;
  readonly cascade: Cascade;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Files of the app library. */
  readonly appFiles: AppFiles;
  /** Returns the address at which the drivers of a node, or with null those of this server, reach this server. */
  readonly addressFor: (node: string | null) => string | null;
  /** Whether there is a grid behind this server, which selects the phones. */
  readonly hasGrid: boolean;
  /** Sources of devices of the program that runs this server, in addition to the devices in the settings. */
  readonly sources: readonly DeviceSource[];
  /** Called in the transaction that stores the end of a session. */
  readonly sessionEnded: EndRecorder['ended'];
}

/** The adb server of this host. */
interface LabAdb {
  readonly address: AdbAddress;
  /** Whether the lab uses its phones now. */
  isOn(): boolean;
}

/** Phones, the sessions on them, and what happens to them. */
export interface Lab {
  readonly lab: DeviceLab;
  readonly apps: AppLibrary;
  readonly eventFeed: EventFeed;
  readonly eventLog: EventLog;
  /** Sources of the phones that are plugged into this host. An Admin can switch each source on and off. */
  readonly hostSources: HostSources;
  readonly leases: Leases;
  /** Attach addresses, at which clients without credentials send commands to one session (contract 15.4). */
  readonly attach: AttachAddresses;
  readonly sessions: SessionDirectory;
  /** Directory of the AI agents that use the MCP server. */
  readonly agents: AgentDirectory;
  readonly adb: LabAdb;
  /**
   * Rechecks the leases of an account and publishes the change. Call this after the role, the status or the teams of an
   * account have changed.
   */
  accountChanged(id: string): void;
}

/** Opens the phones and the sessions on them. Its schedules start the sources of phones. */
export function openLab(needs: Needs): Module<Lab> {
  const { config, settings, stores, audit, authenticator, tickets, clock, random, log } = needs;
  const { openConnections: connections, hasGrid } = needs;
  const eventDays = () => settings.current().eventLogRetentionDays;
  const shared = { stores, audit, clock, random, log };
  const apps = new AppLibrary(
    { ...shared, apps: stores.apps, files: needs.appFiles, authenticator },
    { appBytes: config.appMaxBytes, allBytes: config.appsMaxBytes },
  );
  const live = liveEvents({ ...shared, retentionDays: eventDays });
  const { eventFeed, eventLog } = live;
  const { always, plugged } = deviceSources({ config, hasGrid, ofHost: needs.sources, stores, log });
  const lab = new DeviceLab({
    apps: new SessionApps({
      ...{ library: apps, tickets, baseUrl: needs.addressFor },
      hubUrl: config.node?.hubUrl ?? null,
    }),
    sessions: stores.driverSessions,
    commands: stores.commandLog,
    deviceSettings: stores.deviceSettings,
    leases: { store: stores.leases, stores, audit, authenticator },
    shares: { limits: stores.shareLimits, times: stores.accountTimes },
    sources: always,
    drivers: {
      applies: !config.authDisabled,
      allowed: config.drivers.hostCapabilities,
      adb: adbAddressOf(config),
      ports: new DriverPorts(config.drivers.ports),
      buildFolder: (udid) => buildFolder(config.dataDir, udid),
    },
    startSeconds: config.drivers.startSeconds,
    maxIdleSeconds: config.drivers.maxIdleSeconds,
    maxSessionMinutes: config.drivers.maxSessionMinutes,
    maxSessions: () => settings.current().maxSessions,
    retentionDays: { commands: eventDays, sessions: () => settings.current().sessionRetentionDays },
    ...{ clock, log, connections },
    onCommand: (seen) => live.commands.note(seen),
    endRecorder: { transaction: (work) => stores.transaction(work), ended: needs.sessionEnded },
  });
  const hostSources = new HostSources(plugged, { lab, stores, audit, clock, log });
  live.follow(lab);
  const { devices, heldLeases, queue } = lab;
  const leases = new Leases({ held: heldLeases, lab, clock, random, mostLeases: config.leasesPerAccount });
  const attach = new AttachAddresses({
    ...{ ...shared, store: stores.attach, lab, connections, authDisabled: config.authDisabled },
  });
  const sessions = new SessionDirectory({ lab, stores, audit });
  const agents = new AgentDirectory({ lab, stores, audit, cascade: needs.cascade, clock, log });
  const meter = new UseMeter({ store: stores.phoneUse, devices, leases: heldLeases, queue, clock, log });
  const use = new UseDirectory({
    ...{ meter, accountClock: lab.accountClock, devices, stores, clock },
    byPerson: () => settings.current().usageByPerson === 'on',
  });
  return {
    offers: {
      ...{ lab, apps, eventFeed, eventLog, hostSources, leases, attach, sessions, agents },
      adb: { address: adbAddressOf(config), isOn: () => hostSources.isOn('adb') },
      accountChanged: (id) => {
        leases.recheck();
        queue.wake();
        lab.events.publish(accountChanged(id));
      },
    },
    handlers: {
      ...agentHandlers(agents),
      ...appHandlers({ apps, sessions, stores }),
      ...attachHandlers(attach),
      ...eventHandlers(eventLog, tickets),
      ...leaseHandlers({ leases, authenticator }),
      ...sessionHandlers(sessions),
      ...useHandlers(use),
    },
    schedules: [
      { start: () => lab.start(), stop: () => lab.stop() },
      // Leases, sessions of agents and the rest are also checked at each use, but that check does not notify the
      // clients that display them.
      ...[heldLeases, agents, lab, attach].map((each) => every(SWEEP_MS, () => each.sweep())),
      // Records once a day which devices are present, and removes devices that have been away for a long time.
      every(DAY_MS, () => devices.tidy()),
      ...[
        { what: 'Old sessions and commands', removeOld: () => lab.removeOld() },
        { what: 'Old events', removeOld: () => eventLog.removeOld() },
        { what: 'Old totals of use', removeOld: () => meter.removeOld() },
      ].map((removal) => removing({ ...removal, everyMs: HOUR_MS }, log)),
      meter,
      // The last schedule to stop, so that it also writes what the others have added to the logs.
      flushing([lab.commandLog, eventLog]),
    ],
    metrics: labMetrics({ lab, eventFeed, eventLog }),
    close: async () => attach.flush(),
  };
}
