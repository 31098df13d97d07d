import { sessionAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import { RunningTime, TimeLeft } from '../../ui/running-time.tsx';
import { stateOf } from './device-holder.ts';
import type { Device } from './seen-devices.ts';

/** Shows what a phone is used for and since when, beside the badge that says by whom. Empty for a free phone. */
export function DeviceUse({ device }: { device: Device }) {
  const { session, starting, lease, outOfService, problem } = device;
  const { facts } = texts.devices;
  if (problem !== undefined) return <>{facts.problems[problem]}</>;
  if (session !== undefined) {
    return (
      <>
        <a href={sessionAddress(session.id)}>{session.name ?? facts.unnamed}</a>{' '}
        <RunningTime from={session.startedAt} to={null} />
      </>
    );
  }
  if (starting !== undefined) {
    return (
      <>
        {facts.starting(starting.owner?.email ?? null)} <RunningTime from={starting.since} to={null} />
      </>
    );
  }
  switch (stateOf(device)) {
    case 'busy':
      return <>{facts.somebodyElse}</>;
    case 'out':
      return <>{outOfService?.reason}</>;
    case 'leased':
      return lease === undefined ? null : (
        <>
          <TimeLeft until={lease.expiresAt} /> {facts.left}
        </>
      );
    default:
      return null;
  }
}
