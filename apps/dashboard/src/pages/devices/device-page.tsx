import { pageAddress } from '../../api/addresses.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { Preview } from '../../screen/preview.tsx';
import { texts } from '../../texts/en.ts';
import { EmptyState, PageHeader, Panel, ResourceView } from '../../ui/index.ts';
import { ControlPanel, tap } from './control-panel.tsx';
import { hasDevicesScope, mayWatch } from './device-card.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { DeviceLogPanel } from './device-log-panel.tsx';
import { DeviceStatusBadge } from './device-status-badge.tsx';
import { namesOf } from './find-devices.ts';
import { LeasePanel } from './lease-panel.tsx';
import type { Device, Lease } from './seen-devices.ts';
import { TeamAndTags } from './team-and-tags.tsx';
import { useDevices } from './use-devices.ts';

/** Shows one phone with its screen, log, controls and lease. */
export function DevicePage({ udid }: { udid: string }) {
  const seen = useDevices();
  return (
    <>
      <p>
        <a href={pageAddress('devices')}>{texts.devices.back}</a>
      </p>
      <ResourceView resource={seen}>
        {({ devices, leases }) => {
          const device = devices.find((each) => each.udid === udid);
          if (device === undefined) return <EmptyState {...texts.devices.unknown} />;
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

interface KnownProps {
  device: Device;
  /** Name of the phone, which tells it from all others. */
  name: string;
  /** Lease of the phone, or undefined if there is none or the caller may not change it. */
  lease: Lease | undefined;
  reload(): void;
}

function Known({ device, name, lease, reload }: KnownProps) {
  const { udid, status, session } = device;
  const isAdmin = isAtLeast(caller.value.role, 'Admin') && caller.value.scopes.includes('admin');
  const isDriven = session !== undefined && hasDevicesScope();
  return (
    <>
      <PageHeader title={name} lead={<DeviceStatusBadge device={device} />} />
      <DeviceFacts device={device} />
      <div class="device-parts">
        {mayWatch(device) && (
          <Panel
            title={texts.devices.preview.title}
            {...(isDriven ? { lead: texts.devices.control.tapHint } : {})}
          >
            <Preview
              udid={udid}
              name={name}
              {...(isDriven ? { onTap: (x, y) => void tap(udid, x, y) } : {})}
            />
          </Panel>
        )}
        <div>
          {hasDevicesScope() && status !== 'away' && <ControlPanel device={device} />}
          {hasDevicesScope() && <LeasePanel device={device} lease={lease} reload={reload} />}
          {isAdmin && <TeamAndTags device={device} onSaved={reload} />}
        </div>
      </div>
      {mayWatch(device) && <DeviceLogPanel udid={udid} />}
    </>
  );
}
