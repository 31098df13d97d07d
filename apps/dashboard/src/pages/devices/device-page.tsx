import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { AttachPanel } from '../../screen/attach-panel.tsx';
import { Preview } from '../../screen/preview.tsx';
import type { Touch } from '../../screen/touch.ts';
import { texts } from '../../texts/en.ts';
import { PageHeader, Panel, ResourceView } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import type { AdbPanel } from './adb-panel.tsx';
import type { AdminPanel } from './admin-panel.tsx';
import type { CleaningPanel } from './cleaning-panel.tsx';
import type { ControlPanel } from './control-panel.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { isMine } from './device-holder.ts';
import { DeviceLogPanel } from './device-log-panel.tsx';
import { DeviceStatusBadge } from './device-status-badge.tsx';
import { namesOf } from './find-devices.ts';
import type { HealthPanel } from './health-panel.tsx';
import type { HistoryPanel } from './history-panel.tsx';
import type { InspectPanel } from './inspect-panel.tsx';
import { LeasePanel } from './lease-panel.tsx';
import { hasDevicesScope, mayWatch } from './may-watch.ts';
import type { Device, Lease } from './seen-devices.ts';
import type { SpectatorsPanel } from './spectators-panel.tsx';
import { useDevices } from './use-devices.ts';

/** Shows one phone with its screen, log, controls and lease. */
export function DevicePage({ udid }: { udid: string }) {
  const seen = useDevices();
  return (
    <>
      <p class="back">
        <a href={pageAddress('devices')}>{texts.devices.back}</a>
      </p>
      <ResourceView resource={seen}>
        {({ devices, leases }) => {
          const device = devices.find((each) => each.udid === udid);
          if (device === undefined) return <Unknown />;
          return (
            <Known
              device={device}
              name={namesOf(devices).get(udid) ?? device.name}
              lease={leases.find((each) => each.udid === udid)}
              reload={seen.reload}
            />
          );
        }}
      </ResourceView>
    </>
  );
}

function Unknown() {
  const { title, text } = texts.devices.unknown;
  return <PageHeader title={title} lead={text} />;
}

interface KnownProps {
  device: Device;
  /** Name of the phone, which is unique among all phones. */
  name: string;
  /** Lease of the phone, or undefined if there is none or the caller is not allowed to change it. */
  lease: Lease | undefined;
  reload(): void;
}

function Known({ device, name, lease, reload }: KnownProps) {
  const { udid, status, session, platform, node } = device;
  const [touch, setTouch] = useState<Touch>();
  const isAdmin = isAtLeast(caller.value.role, 'Admin') && caller.value.scopes.includes('admin');
  // A phone that has just lost its connection to the lab (`away`) keeps its session, so the page continues to show its
  // controls.
  const mayControl = hasDevicesScope() && (status !== 'away' || session !== undefined);
  const holds = hasDevicesScope() && isHeld(device, lease);
  const Control = useLater(mayControl, loadControl);
  const Admin = useLater(isAdmin, loadAdmin);
  const Spectators = useLater(holds, loadSpectators);
  const isAndroid = platform.toLowerCase() === 'android';
  // An Admin without the lease cannot connect, but sees who is connected.
  const mayUseAdb = holds && isAndroid && (isAdmin || isMine(device, caller.value.id));
  const Adb = useLater(mayUseAdb, loadAdb);
  const History = useLater(true, loadHistory);
  const Health = useLater(true, loadHealth);
  // A phone of a node is read at its node.
  const mayPlan = isAdmin && isAndroid && node === null;
  const Cleaning = useLater(mayPlan, loadCleaning);
  const mayInspect = mayControl && session === undefined && isOwnLease(lease);
  const Inspect = useLater(mayInspect, loadInspect);
  return (
    <>
      <PageHeader title={name} lead={<DeviceStatusBadge device={device} />} />
      <DeviceFacts device={device} inLine />
      <div class="device-parts">
        {mayWatch(device) && (
          <Panel title={texts.devices.preview.title} {...leadFor(touch)}>
            <Preview udid={udid} name={name} touch={touch} />
          </Panel>
        )}
        <div>
          {mayControl && Control !== undefined && (
            <Control device={device} lease={lease} onTouch={setTouch} />
          )}
          {hasDevicesScope() && <LeasePanel device={device} lease={lease} reload={reload} />}
        </div>
        {mayWatch(device) && <DeviceLogPanel udid={udid} />}
      </div>
      <div class="device-more">
        {mayUseAdb && Adb !== undefined && <Adb udid={udid} />}
        {holds && Spectators !== undefined && <Spectators udid={udid} />}
        {session !== undefined && <AttachPanel id={session.id} />}
        {mayInspect && Inspect !== undefined && <Inspect device={device} />}
        {History !== undefined && (
          <div class="device-wide">
            <History udid={udid} />
          </div>
        )}
        {Health !== undefined && (
          <div class="device-wide">
            <Health device={device} />
          </div>
        )}
        {mayPlan && Cleaning !== undefined && <Cleaning udid={udid} />}
        {isAdmin && Admin !== undefined && (
          <div class="device-wide device-admin">
            <Admin device={device} onSaved={reload} />
          </div>
        )}
      </div>
    </>
  );
}

/** Returns whether the caller holds the phone: with a lease, or with a session that the caller may control. */
function isHeld({ session }: Device, lease: Lease | undefined): boolean {
  return session !== undefined || isOwnLease(lease);
}

function isOwnLease(lease: Lease | undefined): boolean {
  return lease?.owner.id === caller.value.id;
}

/** Loads the panel separately, because it is larger than the rest of the page and would delay the page. */
const loadControl = async (): Promise<typeof ControlPanel> =>
  (await import('./control-panel.tsx')).ControlPanel;

const loadAdmin = async (): Promise<typeof AdminPanel> => (await import('./admin-panel.tsx')).AdminPanel;
const loadSpectators = async (): Promise<typeof SpectatorsPanel> =>
  (await import('./spectators-panel.tsx')).SpectatorsPanel;
const loadInspect = async (): Promise<typeof InspectPanel> =>
  (await import('./inspect-panel.tsx')).InspectPanel;

const loadAdb = async (): Promise<typeof AdbPanel> => (await import('./adb-panel.tsx')).AdbPanel;
const loadHistory = async (): Promise<typeof HistoryPanel> =>
  (await import('./history-panel.tsx')).HistoryPanel;
const loadHealth = async (): Promise<typeof HealthPanel> => (await import('./health-panel.tsx')).HealthPanel;
const loadCleaning = async (): Promise<typeof CleaningPanel> =>
  (await import('./cleaning-panel.tsx')).CleaningPanel;

function leadFor(touch: Touch | undefined): { lead?: string } {
  if (touch === undefined) return {};
  return { lead: touch.hint ?? texts.devices.control.tapHint };
}
