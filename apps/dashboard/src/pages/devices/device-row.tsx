import { caller } from '../../api/current-caller.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { Preview } from '../../screen/preview.tsx';
import { texts } from '../../texts/en.ts';
import { DeviceAction } from './device-action.tsx';
import { isMine } from './device-holder.ts';
import { DeviceStatusBadge } from './device-status-badge.tsx';
import { DeviceUse } from './device-use.tsx';
import type { Device } from './seen-devices.ts';
import { percentText } from './use-parts.ts';

interface DeviceRowProps {
  device: Device;
  /** Name of the phone, which is unique in the list. */
  name: string;
  isWatched: boolean;
  onWatch(on: boolean): void;
}

/**
 * Shows one phone as a line. Its name, tags and version come from other machines, so they are rendered only as text.
 */
export function DeviceRow({ device, name, isWatched, onWatch }: DeviceRowProps) {
  const { udid, platform, osVersion } = device;
  return (
    <article
      class={isMine(device, caller.value.id) ? 'device-row device-mine' : 'device-row'}
      aria-label={name}
      data-udid={udid}
    >
      <header>
        <h2>
          <a href={deviceAddress(udid)} class="cut" title={`${name} (${udid})`}>
            {name}
          </a>
        </h2>
        <span class="device-platform soft cut">
          {platform} {osVersion}
        </span>
        <DeviceStatusBadge device={device} />
      </header>
      <p class="device-use cut">
        <DeviceUse device={device} />
      </p>
      <p class="device-place soft cut" title={placeOf(device)}>
        {placeOf(device)}
      </p>
      <DeviceAction device={device} name={name} isWatched={isWatched} onWatch={onWatch} />
      {isWatched && <Preview udid={udid} name={name} />}
    </article>
  );
}

/**
 * Team, node, tags and failure rate of the phone in one text. The shared pool is not named, because most phones are in
 * it, and a rate of 0 is not shown, because the list is there to find the phones that fail.
 */
function placeOf({ team, node, tags, failureRate }: Device): string {
  const rate =
    failureRate === null || failureRate === 0 ? null : texts.devices.failureRate(percentText(failureRate, 1));
  return [team?.name, node, tags.join(', '), rate].filter((part) => part != null && part !== '').join(' · ');
}
