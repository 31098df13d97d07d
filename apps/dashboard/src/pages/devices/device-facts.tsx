import type { ComponentChildren } from 'preact';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { TimeText } from '../../ui/index.ts';
import { TimeLeft } from '../../ui/running-time.tsx';
import { stateOf } from './device-holder.ts';
import { DeviceUse } from './device-use.tsx';
import type { Device } from './seen-devices.ts';
import { percentText } from './use-parts.ts';

/** Shows the properties of a phone and what it is used for. The badge beside them says by whom. */
export function DeviceFacts({ device, inLine = false }: { device: Device; inLine?: boolean }) {
  const { platform, osVersion, team, node, tags, udid, note, problem, failureRate, lease } = device;
  const { facts } = texts.devices;
  const state = stateOf(device);
  return (
    <dl class={inLine ? 'device-facts device-facts-line' : 'device-facts'}>
      <Fact term={facts.platform}>
        {platform} {osVersion}
      </Fact>
      <Fact term={facts.udid}>{udid}</Fact>
      <Fact term={facts.team}>{team?.name ?? facts.sharedPool}</Fact>
      {node !== null && <Fact term={facts.node}>{node}</Fact>}
      {tags.length > 0 && <Fact term={facts.tags}>{tags.join(', ')}</Fact>}
      {!inLine && failureRate !== null && (
        <Fact term={facts.failureRate}>{facts.ofWeek(percentText(failureRate, 1))}</Fact>
      )}
      {note !== null && (
        <Fact term={facts.note}>
          <span class="device-note">{note}</span>
        </Fact>
      )}
      {problem !== undefined && <Fact term={facts.problem}>{facts.problems[problem]}</Fact>}
      {problem === undefined && (state === 'busy' || (state === 'leased' && !inLine) || state === 'out') && (
        <Fact term={facts.uses[state]}>
          <DeviceUse device={device} />
        </Fact>
      )}
      {inLine && lease !== undefined && (
        <Fact term={facts.uses.leased}>
          {state === 'busy' && lease.owner.id !== caller.value.id && `${lease.owner.email}, `}
          <TimeLeft until={lease.expiresAt} /> {facts.leftUntil} <TimeText at={lease.expiresAt} />
        </Fact>
      )}
    </dl>
  );
}

/** Shows one fact in a list of facts. */
export function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
