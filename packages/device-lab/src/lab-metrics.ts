import { byField, counter, gauge, type Metric, single } from '@svc/module';
import type { DeviceStatus } from './device.ts';
import type { DeviceLab } from './device-lab.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { EventLog } from './events/event-log.ts';

interface Measured {
  readonly lab: DeviceLab;
  readonly eventFeed: EventFeed;
  readonly eventLog: EventLog;
}

/** Metrics of sessions, phones, leases, the queue and events. Sessions are counted from this call on. */
export function labMetrics({ lab, eventFeed, eventLog }: Measured): Metric[] {
  const { devices, queue, commandLog, heldLeases } = lab;
  let started = 0;
  /** Number of sessions that have ended, by failure category. */
  const endedBy = new Map<string, number>();
  lab.onStart(() => {
    started += 1;
  });
  lab.onEnd(({ failureCategory }) => {
    const category = failureCategory ?? 'none';
    endedBy.set(category, (endedBy.get(category) ?? 0) + 1);
  });
  return [
    gauge('svc_sessions_running', 'Driver sessions that run', () => single(lab.sessions.runningCount)),
    counter('svc_sessions_started_total', 'Driver sessions that started', () => single(started)),
    counter('svc_sessions_ended_total', 'Driver sessions that ended, by failure category', () =>
      [...endedBy].map(([category, value]) => ({ labels: { category }, value })),
    ),
    gauge('svc_devices', 'Phones of the lab, by status', () =>
      byField(
        'status',
        counted<DeviceStatus>(lab, { free: 0, busy: 0, away: 0 }, (udid) => devices.statusOf(udid)),
      ),
    ),
    gauge('svc_devices_out_of_service', 'Phones that are out of service', () =>
      single(devices.list().filter(({ udid }) => devices.isBlocked(udid)).length),
    ),
    gauge('svc_devices_uncleaned', 'Phones that have a holder or are not clean, by state', () => {
      const none = { reading: 0, leased: 0, waiting: 0, cleaning: 0, failed: 0 };
      return byField(
        'state',
        counted(lab, none, (udid) => devices.uncleanedOf(udid)?.state),
      );
    }),
    gauge('svc_leases', 'Phones that are leased', () => single(heldLeases.count)),
    gauge('svc_queue_waiting', 'Creates and lease requests that wait for a phone', () =>
      single(queue.waiting),
    ),
    {
      kind: 'histogram',
      name: 'svc_queue_wait_seconds',
      help: 'How long creates and lease requests waited for a phone, by how the wait ended',
      read: () => [...queue.counts.waits].map(([ended, histogram]) => ({ labels: { ended }, histogram })),
    },
    counter('svc_queue_full_total', 'Requests refused without a wait because too many waited', () =>
      single(queue.counts.full),
    ),
    gauge('svc_event_connections', 'Open connections that read live events', () => single(eventFeed.readers)),
    gauge('svc_queue_depth', 'What waits, by queue', () =>
      byField('queue', { 'command log': commandLog.waiting, 'event log': eventLog.waiting }),
    ),
  ];
}

/** Counts the phones of each state, beginning with `none`. */
function counted<State extends string>(
  { devices }: Pick<DeviceLab, 'devices'>,
  none: Readonly<Record<State, number>>,
  stateOf: (udid: string) => State | undefined,
): Record<State, number> {
  const counts: Record<State, number> = { ...none };
  for (const { udid } of devices.list()) {
    const state = stateOf(udid);
    if (state !== undefined) counts[state] += 1;
  }
  return counts;
}
