import { caller } from '../../api/current-caller.ts';
import { Badge } from '../../ui/index.ts';
import { holderOf } from './device-holder.ts';
import type { Device } from './seen-devices.ts';

export function DeviceStatusBadge({ device }: { device: Device }) {
  const { tone, text } = holderOf(device, caller.value.id);
  return <Badge tone={tone}>{text}</Badge>;
}
