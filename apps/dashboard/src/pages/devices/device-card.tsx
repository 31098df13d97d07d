import { caller } from '../../api/current-caller.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { Preview } from '../../screen/preview.tsx';
import type { Thumbnail as ThumbnailOf } from '../../screen/thumbnail.tsx';
import { DeviceAction, WatchButton } from './device-action.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { actionOf, isMine } from './device-holder.ts';
import { DeviceStatusBadge } from './device-status-badge.tsx';
import { mayWatch } from './may-watch.ts';
import type { Device } from './seen-devices.ts';

interface DeviceCardProps {
  device: Device;
  /** Name of the phone, which is unique in the list. */
  name: string;
  /** Component that shows a recent picture of the screen. It is undefined until its code is loaded. */
  Thumbnail: typeof ThumbnailOf | undefined;
  isWatched: boolean;
  onWatch(on: boolean): void;
}

/**
 * Shows one phone as a tile. Its name, tags and version come from other machines, so they are rendered only as text.
 */
export function DeviceCard({ device, name, Thumbnail, isWatched, onWatch }: DeviceCardProps) {
  const { udid } = device;
  return (
    <article
      class={isMine(device, caller.value.id) ? 'device-card device-mine' : 'device-card'}
      aria-label={name}
      data-udid={udid}
    >
      <header>
        <h2>
          <a href={deviceAddress(udid)} class="breakable">
            {name}
          </a>
        </h2>
        <DeviceStatusBadge device={device} />
      </header>
      {mayWatch(device) && !isWatched && Thumbnail !== undefined && <Thumbnail udid={udid} name={name} />}
      <DeviceFacts device={device} />
      {mayWatch(device) && isWatched && <Preview udid={udid} name={name} />}
      <div class="button-row">
        <DeviceAction device={device} name={name} isWatched={isWatched} onWatch={onWatch} />
        {mayWatch(device) && actionOf(device, caller.value.id) !== 'watch' && (
          <WatchButton name={name} isWatched={isWatched} onWatch={onWatch} />
        )}
      </div>
    </article>
  );
}
