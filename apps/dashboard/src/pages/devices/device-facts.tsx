import type { ComponentChildren } from 'preact';
import { caller } from '../../api/current-caller.ts';
import { sessionAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import { RunningTime, TimeLeft } from '../../ui/running-time.tsx';
import type { Device } from './seen-devices.ts';

/** Shows the properties of a phone and who uses it. */
export function DeviceFacts({ device }: { device: Device }) {
  const { platform, osVersion, team, node, tags, lease, udid, problem } = device;
  const { facts } = texts.devices;
  return (
    <dl class="device-facts">
      <Fact term={facts.platform}>
        {platform} {osVersion}
      </Fact>
      <Fact term={facts.udid}>{udid}</Fact>
      <Fact term={facts.team}>{team?.name ?? facts.sharedPool}</Fact>
      {node !== null && <Fact term={facts.node}>{node}</Fact>}
      {problem !== undefined && <Fact term={facts.problem}>{facts.problems[problem]}</Fact>}
      {tags.length > 0 && <Fact term={facts.tags}>{tags.join(', ')}</Fact>}
      {device.status === 'busy' && (
        <Fact term={facts.session}>
          <Holder device={device} />
        </Fact>
      )}
      {lease !== undefined && (
        <Fact term={facts.lease}>
          {lease.owner.id === caller.value.id ? facts.you : lease.owner.email},{' '}
          <TimeLeft until={lease.expiresAt} /> {facts.left}
        </Fact>
      )}
    </dl>
  );
}

function Holder({ device: { session } }: { device: Device }) {
  const { facts } = texts.devices;
  if (session === undefined) return <>{facts.somebodyElse}</>;
  return (
    <>
      <a href={sessionAddress(session.id)}>{session.name ?? facts.unnamed}</a>
      {session.owner !== null && ` ${facts.of(session.owner.email)}`},{' '}
      <RunningTime from={session.startedAt} to={null} />
    </>
  );
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
