import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/index.ts';
import type { DeviceStatus } from './find-devices.ts';

const TONES = { free: 'good', busy: 'warn', away: 'plain' } as const;

export function DeviceStatusBadge({ status }: { status: DeviceStatus }) {
  return <Badge tone={TONES[status]}>{texts.devices.statuses[status]}</Badge>;
}
