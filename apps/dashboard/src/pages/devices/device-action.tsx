import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { errorText } from '../../api/error-text.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, LinkButton, toast } from '../../ui/index.ts';
import { useRefocus } from '../../ui/use-refocus.ts';
import { actionOf } from './device-holder.ts';
import { hasDevicesScope } from './may-watch.ts';
import type { Device } from './seen-devices.ts';

/** Minutes of a lease that is taken in the list. The page of the phone offers other times. */
const MINUTES = 60;

interface DeviceActionProps {
  device: Device;
  name: string;
  isWatched: boolean;
  onWatch(on: boolean): void;
}

/** Shows the action that the caller most likely wants next: lease, control or watch. */
export function DeviceAction({ device, name, isWatched, onWatch }: DeviceActionProps) {
  const action = hasDevicesScope() ? actionOf(device, caller.value.id) : undefined;
  // The button for the lease disappears when the phone is leased, so the focus moves to the action that replaces it.
  const { part, expect } = useRefocus(action);
  const { list } = texts.devices;
  const lease = useAction(async () => {
    expect();
    try {
      await call('createLease', { body: { udid: device.udid, minutes: MINUTES } });
      toast(list.leased(name));
    } catch (error) {
      toast(list.notLeased(name, errorText(error)));
    }
  });
  return (
    <div class="device-action" ref={part}>
      {action === 'lease' && (
        <Button aria-label={list.leaseNamed(name)} busy={lease.isBusy} onClick={lease.run}>
          {list.lease}
        </Button>
      )}
      {action === 'control' && (
        <LinkButton kind="primary" href={deviceAddress(device.udid)} label={list.controlNamed(name)}>
          {list.control}
        </LinkButton>
      )}
      {action === 'watch' && <WatchButton name={name} isWatched={isWatched} onWatch={onWatch} />}
    </div>
  );
}

/** Shows or hides the screen of the phone in the list. */
export function WatchButton({ name, isWatched, onWatch }: Omit<DeviceActionProps, 'device'>) {
  const { watch, watchNamed, stop } = texts.devices.preview;
  return (
    <Button
      aria-label={isWatched ? undefined : watchNamed(name)}
      aria-expanded={isWatched}
      onClick={() => onWatch(!isWatched)}
    >
      {isWatched ? stop : watch}
    </Button>
  );
}
