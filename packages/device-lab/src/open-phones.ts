import type { Audit, Clock, Log, Stores } from '@svc/auth-core';
import { every, gauge, HOUR_MS, type Module, removing, single } from '@svc/module';
import type { Config, Settings } from '@svc/settings';
import type { CareAtNodes } from './care/care-at-nodes.ts';
import type { CareStore } from './care/care-store.ts';
import type { CleaningPreview } from './care/cleaning/cleaning-preview.ts';
import type { CleaningStore } from './care/cleaning/cleaning-store.ts';
import { PhoneCleaner } from './care/cleaning/phone-cleaner.ts';
import { HubHolders, leaseHolders } from './care/cleaning/phone-holders.ts';
import { HealthHistory, type HealthStore } from './care/health-history.ts';
import { HealthProbes } from './care/health-probes.ts';
import { OutOfService } from './care/out-of-service.ts';
import { outOfServiceView } from './care/out-of-service-view.ts';
import { probePhone } from './care/probe-phone.ts';
import { RefusedCreates } from './care/refused-creates.ts';
import { DeviceControl } from './control/device-control.ts';
import { inputHandlers } from './control/input-handlers.ts';
import { DeviceDirectory } from './device-directory.ts';
import { deviceHandlers } from './device-handlers.ts';
import { PhonePreview } from './matching/phone-preview.ts';
import type { Lab } from './open-lab.ts';
import { queueHandlers } from './queue/handlers.ts';
import { QueueDirectory } from './queue/queue-directory.ts';
import { AdbInput } from './sources/adb/adb-input.ts';
import { AdbShell } from './sources/adb/adb-shell.ts';
import { type DirectInputs, directInputs } from './sources/direct-input.ts';
import { WdaInput } from './sources/ios/wda-input.ts';

const SWEEP_MS = 1_000;

interface Needs extends Pick<Lab, 'lab' | 'hostSources' | 'adb'> {
  readonly config: Pick<Config, 'probes' | 'node'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly stores: Stores & {
    readonly care: CareStore;
    readonly cleaning: CleaningStore;
    readonly phoneHealth: HealthStore;
  };
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
  /** The phones of nodes: their state, input into them, and what a cleaning would remove from one. */
  readonly atNodes: {
    readonly care: CareAtNodes;
    readonly directInputs: DirectInputs;
    planFor(udid: string): Promise<CleaningPreview | null>;
  };
}

/** State of the phones, and input into them. */
export interface Phones {
  readonly devices: DeviceDirectory;
  readonly deviceControl: DeviceControl;
  readonly direct: DirectInputs;
  readonly care: OutOfService;
  readonly probes: HealthProbes;
  readonly cleaner: PhoneCleaner;
  /** Holders of phones at the hub, or null if this server is no node. */
  readonly ofHub: HubHolders | null;
}

/** Opens the care for phones, input into them without a session, and the lists in which users find them. */
export function openPhones(needs: Needs): Module<Phones> {
  const { lab, hostSources, adb, config, settings, stores, audit, clock, log, atNodes } = needs;
  const { devices, heldLeases: leases, queue } = lab;
  const direct = directInputs([new AdbInput({ ...adb, clock }), new WdaInput(), atNodes.directInputs]);
  const deviceControl = new DeviceControl({ lab, direct, stores, audit, clock, log });
  const care = new OutOfService({ store: stores.care, lab, stores, audit, clock, log });
  const outOfService = (udid: string) => outOfServiceView(udid, { care, atNodes: atNodes.care, stores });
  lab.outOfService = outOfService;
  const { seconds, ...limits } = config.probes;
  const probes = new HealthProbes({
    ...{ devices, leases, care, seconds, limits, clock, log },
    probe: (udid, isFree) => probePhone(adb.address, udid, isFree),
  });
  const refusals = new RefusedCreates({ care, clock, log });
  lab.creates.onCreate((result, udid, ownerId) => refusals[result](udid, ownerId));
  const ofHub = config.node === null ? null : new HubHolders();
  const cleaner = new PhoneCleaner({
    ...{
      store: stores.cleaning,
      stores,
      lab,
      holders: ofHub ?? leaseHolders(leases),
      ofHub,
      care,
      clock,
      log,
    },
    shell: new AdbShell(adb.address),
    mode: () => settings.current().clean,
    isOn: adb.isOn,
  });
  const history = new HealthHistory({
    ...{ store: stores.phoneHealth, devices, clock, log },
    healthOf: (udid) => probes.of(udid) ?? atNodes.care.healthOf(udid),
  });
  lab.creates.onCreate((result, udid) => {
    if (result === 'refused') history.note(udid, 'refused');
  });
  lab.onEnd(({ device, failureCategory }) => {
    if (device !== null) history.note(device.udid, failureCategory === null ? 'ended' : 'failed');
  });
  lab.creates.cleaner = cleaner;
  // Users cannot end leases on a node, and each lease would withhold a phone from the hub. Therefore a server that has
  // become a node ends all its leases.
  if (config.node !== null) leases.endAll('this server is a node now, and its hub leases the phones');
  const directory = new DeviceDirectory({
    ...{ lab, leases, deviceControl, care, health: probes, history, stores, audit, atNodes: atNodes.care },
    cleaner: { planFor: async (udid) => (await cleaner.planFor(udid)) ?? (await atNodes.planFor(udid)) },
  });
  const phonePreview = new PhonePreview({ devices, leases, stores });
  const waiting = new QueueDirectory({ queue, devices, stores, outOfService, clock });
  return {
    offers: { devices: directory, deviceControl, direct, care, probes, cleaner, ofHub },
    handlers: {
      ...deviceHandlers({ devices: directory, hostSources, phonePreview }),
      ...inputHandlers(deviceControl),
      ...queueHandlers(queue, waiting),
    },
    schedules: [
      ...[care, cleaner, history].map((each) => every(SWEEP_MS, () => each.sweep())),
      removing({ what: 'Old probes of phones', removeOld: () => history.removeOld(), everyMs: HOUR_MS }, log),
      probes,
    ],
    metrics: [
      gauge('svc_devices_unhealthy', 'Phones of this server that the lab put out of service', () =>
        single(care.ofLab().length),
      ),
    ],
    close: async () => undefined,
  };
}
