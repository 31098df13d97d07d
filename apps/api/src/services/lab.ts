import type { Server } from 'node:net';
import type { Cascade } from '@svc/auth-core';
import { AppFolder, appFolder, recordingFolder } from '@svc/data-folder';
import {
  AdbInput,
  AdbShell,
  AgentDirectory,
  AppLibrary,
  AttachAddresses,
  accountChanged,
  DeviceControl,
  DeviceDirectory,
  DeviceLab,
  type DeviceSource,
  DriverPorts,
  directInputs,
  type EventFeed,
  type EventLog,
  HealthHistory,
  HealthProbes,
  type HeldLeases,
  HostSources,
  HubHolders,
  Leases,
  leaseHolders,
  OutOfService,
  openShares,
  outOfServiceView,
  PhoneCleaner,
  PhonePreview,
  probePhone,
  QueueDirectory,
  RefusedCreates,
  SessionApps,
  SessionDirectory,
  UseDirectory,
  UseMeter,
  WdaInput,
} from '@svc/device-lab';
import { every, flushing, HOUR_MS, removing, type Schedule } from '@svc/module';
import { HubAddresses, type NodeSide, openHub, openNode, planAtNode } from '@svc/nodes';
import {
  adbProgram,
  deviceStreams,
  nodeSockets,
  nodeStreams,
  type PhoneProgram,
  Previews,
  RemotePhones,
  RemoteUsers,
  Screenshots,
  Spectators,
  Streams,
  usbProgram,
} from '@svc/previews';
import { openRecordings } from '@svc/recordings';
import { openWebhooks } from '@svc/webhooks';
import { type GridServices, openGrid, type UpstreamGrid } from '../grid/open-grid.ts';
import { VERSION } from '../runtime/resources.ts';
import type { CoreServices } from './core.ts';
import { adbAddressOf, buildFolder, deviceSources } from './device-sources.ts';
import { liveEvents } from './live-events.ts';
import type { Modules } from './modules.ts';

const SWEEP_MS = 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Services for devices, sessions, and the events about them. */
export interface LabServices {
  readonly lab: DeviceLab;
  readonly heldLeases: HeldLeases;
  /** Phones that are out of service. */
  readonly care: OutOfService;
  readonly apps: AppLibrary;
  readonly eventFeed: EventFeed;
  readonly eventLog: EventLog;
  readonly devices: DeviceDirectory;
  readonly phonePreview: PhonePreview;
  /** Sources of the phones that are plugged into this host. An Admin can switch each source on and off. */
  readonly hostSources: HostSources;
  readonly leases: Leases;
  /** Attach addresses, at which clients without credentials send commands to one session (contract 15.4). */
  readonly attach: AttachAddresses;
  readonly queue: QueueDirectory;
  readonly use: UseDirectory;
  /**
   * Rechecks the leases of an account and publishes the change. Call this after the role, the status or the teams of an
   * account have changed.
   */
  accountChanged(id: string): void;
  readonly deviceControl: DeviceControl;
  readonly screenshots: Screenshots;
  readonly previews: Previews;
  readonly streams: Streams;
  /** Links that show the screen of a phone to others. */
  readonly spectators: Spectators;
  readonly remoteAdb: RemotePhones;
  readonly remoteUsb: RemotePhones;
  readonly sessions: SessionDirectory;
  /** Directory of the AI agents that use the MCP server. */
  readonly agents: AgentDirectory;
  readonly modules: Omit<Modules, 'accounts'>;
  /** The part of the server that communicates with the hub, or null if this server is not a node of a hub. */
  readonly node: NodeSide | null;
  /** Services of the grid behind this server, or null if this server is not the entrance of a grid. */
  readonly grid: GridServices | null;
}

interface RunningLab extends LabServices {
  /** Passes the HTTP server of this process to the lab, because drivers fetch apps from the address of that server. */
  announce(server: Server): void;
  close(): Promise<void>;
}

interface LabOptions {
  /** The grid behind this server (`SVC_UPSTREAM`), or null if there is none. */
  readonly upstream: UpstreamGrid | null;
  /** Device sources of the program that runs this server, in addition to the devices in the settings. */
  readonly sources: readonly DeviceSource[];
  readonly cascade: Cascade;
}

/** Opens the services for devices and sessions, and starts the device sources. */
export function openLab(core: CoreServices, { upstream, sources, cascade }: LabOptions): RunningLab {
  const { config, log, clock, random, stores, audit, authenticator, signer, tickets, settings } = core;
  const { openConnections, outbound, lookups, listening } = core;
  const apps = new AppLibrary(
    {
      stores,
      clock,
      random,
      audit,
      log,
      apps: stores.apps,
      files: new AppFolder(appFolder(config.dataDir)),
      authenticator,
    },
    { appBytes: config.appMaxBytes, allBytes: config.appsMaxBytes },
  );
  const eventDays = () => settings.current().eventLogRetentionDays;
  const live = liveEvents({ stores, audit, clock, random, log, retentionDays: eventDays });
  const webhooks = openWebhooks({
    allowed: config.webhookAllow,
    version: VERSION,
    stores,
    authenticator,
    audit,
    clock,
    random,
    log,
    outbound,
    lookups,
    messages: {
      publicUrl: config.publicUrl,
      sessionOwner: (id) => {
        const ownerId = stores.driverSessions.byId(id)?.ownerId;
        return ownerId == null ? null : (stores.accounts.byId(ownerId)?.email ?? null);
      },
    },
  });
  const { always, plugged } = deviceSources({
    ...{ config, hasGrid: upstream !== null, ofHost: sources, stores, log },
  });
  const hubAddresses = new HubAddresses();
  const lab = new DeviceLab({
    apps: new SessionApps({
      library: apps,
      tickets,
      baseUrl: (node) => (node === null ? listening.address : hubAddresses.of(node)),
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
    clock,
    log,
    connections: openConnections,
    onCommand: (seen) => live.commands.note(seen),
    endRecorder: {
      transaction: (work) => stores.transaction(work),
      ended: (session) => webhooks.offers.queue.sessionEnded(session),
    },
  });
  const hostSources = new HostSources(plugged, { lab, stores, audit, clock, log });
  live.follow(lab);
  webhooks.offers.listenTo(lab.events);
  const byPerson = () => settings.current().usageByPerson === 'on';
  const shares = openShares({ lab, store: stores.shareLimits, stores, audit, byPerson, log });
  const { keyRing } = core;
  const grid = openGrid(upstream, { lab, keyRing, issuer: config.jwtIssuer, clock, log, outbound });
  const gridName = grid?.client.name ?? null;
  const tools = { config, stores, lab, signer, clock, random, log, outbound, lookups };
  const nodeTools = { ...tools, version: VERSION, grid: gridName, listening, hubAddresses };
  const hub = openHub({ ...nodeTools, authenticator, keyRing });
  const { nodes, nodeClient } = hub.offers;
  const ofNodes = nodeStreams({ nodes, client: nodeClient });
  const adb = { address: adbAddressOf(config), isOn: () => hostSources.isOn('adb') };
  const ios = {
    env: config.ios.env,
    isReadable: (udid: string) => hostSources.isReadable('ios', udid),
    lists: (udid: string) => hostSources.lists('ios', udid),
  };
  const previews = new Previews(deviceStreams({ lab, adb, ios, clock, outbound, nodes: ofNodes }), clock);
  const direct = directInputs([new AdbInput({ ...adb, clock }), new WdaInput(), nodes.directInputs]);
  const deviceControl = new DeviceControl({ lab, direct, stores, audit, clock, log });
  const held = lab.heldLeases;
  const care = new OutOfService({ store: stores.care, lab, stores, audit, clock, log });
  const outOfService = (udid: string) => outOfServiceView(udid, { care, atNodes: nodes.care, stores });
  lab.explainWith(outOfService);
  const { seconds, ...limits } = config.probes;
  const probes = new HealthProbes({
    ...{ devices: lab.devices, leases: held, care, seconds, limits, clock, log },
    probe: (udid, isFree) => probePhone(adb.address, udid, isFree),
  });
  const refusals = new RefusedCreates({ care, clock, log });
  lab.onCreate((result, udid, ownerId) => refusals[result](udid, ownerId));
  const ofHub = config.node === null ? null : new HubHolders();
  const cleaner = new PhoneCleaner({
    ...{ store: stores.cleaning, stores, lab, holders: ofHub ?? leaseHolders(held), ofHub, care, clock, log },
    shell: new AdbShell(adb.address),
    mode: () => settings.current().clean,
    isOn: adb.isOn,
  });
  const history = new HealthHistory({
    ...{ store: stores.phoneHealth, devices: lab.devices, clock, log },
    healthOf: (udid) => probes.of(udid) ?? nodes.care.healthOf(udid),
  });
  lab.onCreate((result, udid) => {
    if (result === 'refused') history.note(udid, 'refused');
  });
  lab.onEnd(({ device, failureCategory }) => {
    if (device !== null) history.note(device.udid, failureCategory === null ? 'ended' : 'failed');
  });
  lab.cleanWith(cleaner);
  const leases = new Leases({ held, lab, clock, random, mostLeases: config.leasesPerAccount });
  const attach = new AttachAddresses({
    store: stores.attach,
    authDisabled: config.authDisabled,
    ...{ lab, stores, connections: openConnections, audit, clock, random, log },
  });
  const streams = new Streams({
    ...{ tickets, openConnections, lab, deviceControl, previews, log },
    mode: config.preview,
  });
  const spectators = new Spectators({
    mode: config.spectators,
    preview: config.preview,
    leases: held,
    connections: openConnections,
    ...{ lab, deviceControl, previews, stores, audit, clock, random },
  });
  // Users cannot end leases on a node, and each lease would withhold a phone from the hub. Therefore a server that has
  // become a node ends all its leases.
  if (config.node !== null) held.endAll('this server is a node now, and its hub leases the phones');
  const node = openNode(nodeTools, { previews, direct, care, health: probes, cleaner, ofHub });
  const sessions = new SessionDirectory({ lab, stores, audit });
  const agents = new AgentDirectory({ lab, stores, audit, cascade, clock, log });
  const recordings = openRecordings({
    ...{ config, lab, previews, sessions, settings, audit, clock, log },
    folder: recordingFolder(config.dataDir),
    version: VERSION,
    hub: hub.offers,
    grid: gridName,
  });
  const modules = { webhooks, hub, recordings, shares };
  const meter = new UseMeter({
    store: stores.phoneUse,
    devices: lab.devices,
    leases: held,
    queue: lab.queue,
    clock,
    log,
  });
  const remotePhones = (program: PhoneProgram) =>
    new RemotePhones({
      ...{ lab, deviceControl, tickets, openConnections, program, clock, random, log },
      users: new RemoteUsers({ event: program.event, audit, stores, clock, random }),
      mode: config.adbRemote,
      nodeSockets: nodeSockets({
        program: program.name,
        nodes,
        client: nodeClient,
        lab,
      }),
    });
  const schedules: Schedule[] = [
    // Leases, sessions of agents and the rest are also checked at each use, but that check does not notify the clients
    // that display them.
    ...[held, care, cleaner, history, agents, lab, attach, spectators].map((each) =>
      every(SWEEP_MS, () => each.sweep()),
    ),
    // Records once a day which devices are present, and removes devices that have been away for a long time.
    every(DAY_MS, () => lab.devices.tidy()),
    ...[
      { what: 'Old sessions and commands', removeOld: () => lab.removeOld() },
      { what: 'Old events', removeOld: () => live.eventLog.removeOld() },
      { what: 'Old probes of phones', removeOld: () => history.removeOld() },
      { what: 'Old totals of use', removeOld: () => meter.removeOld() },
    ].map((removal) => removing({ ...removal, everyMs: HOUR_MS }, log)),
    meter,
    probes,
    // Schedules are stopped in the order of this list. The flush is last, so that it also writes what the other
    // schedules have added to the logs.
    flushing([lab.commandLog, live.eventLog]),
  ];
  lab.start();
  for (const { schedules: own } of Object.values(modules)) for (const each of own) each.start();
  grid?.sessions.start();
  for (const schedule of schedules) schedule.start();
  return {
    lab,
    apps,
    eventFeed: live.eventFeed,
    eventLog: live.eventLog,
    phonePreview: new PhonePreview({ devices: lab.devices, leases: held, stores }),
    devices: new DeviceDirectory({
      lab,
      leases: held,
      deviceControl,
      care,
      health: probes,
      history,
      cleaner: {
        planFor: async (udid) =>
          (await cleaner.planFor(udid)) ?? (await planAtNode(udid, { lab, nodes, client: nodeClient })),
      },
      atNodes: nodes.care,
      stores,
      audit,
    }),
    hostSources,
    heldLeases: held,
    care,
    leases,
    attach,
    spectators,
    queue: new QueueDirectory({ queue: lab.queue, devices: lab.devices, stores, outOfService, clock }),
    use: new UseDirectory({
      ...{ meter, accountClock: lab.accountClock, devices: lab.devices, stores, clock },
      byPerson,
    }),
    accountChanged: (id) => {
      leases.recheck();
      lab.queue.wake();
      lab.events.publish(accountChanged(id));
    },
    deviceControl,
    screenshots: new Screenshots({ deviceControl, streams, previews }),
    previews,
    streams,
    remoteAdb: remotePhones(adbProgram(adb)),
    remoteUsb: remotePhones(usbProgram({ address: config.ios.address, lists: ios.lists })),
    sessions,
    agents,
    modules,
    node,
    grid,
    announce: (server) => listening.announce(server),
    close: async () => {
      lab.queue.close();
      await recordings.close();
      await node?.close();
      grid?.sessions.stop();
      await grid?.client.close();
      for (const schedule of hub.schedules) schedule.stop();
      await hub.close();
      lab.stop();
      for (const schedule of schedules) schedule.stop();
      attach.flush();
      for (const { schedules } of Object.values(modules)) for (const schedule of schedules) schedule.stop();
      await webhooks.close();
    },
  };
}
