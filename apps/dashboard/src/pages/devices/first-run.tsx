import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import { Badge, LinkButton, Panel } from '../../ui/index.ts';
import type { Step } from './first-run-steps.ts';
import { FirstTest, MakeToken } from './first-test-step.tsx';
import type { Device } from './seen-devices.ts';
import type { FirstRun } from './use-first-run.ts';

/** Shows the first steps of a new account. */
export function FirstSteps({ steps, next, own, reload }: FirstRun) {
  const [token, setToken] = useState<string>();
  const { firstRun } = texts.devices;
  return (
    <Panel
      title={firstRun.title}
      lead={<span role="status">{next === undefined ? firstRun.finished : firstRun.progress(steps)}</span>}
    >
      <ol class="first-run">
        {steps.map((step) => (
          <StepLine
            key={step.name}
            step={step}
            isNext={step === next}
            own={own}
            token={token}
            onToken={(secret) => {
              setToken(secret);
              reload();
            }}
          />
        ))}
      </ol>
    </Panel>
  );
}

interface StepLineProps {
  step: Step;
  isNext: boolean;
  own: Device | undefined;
  /** Secret of a token that was created on this page; it is stored nowhere else. */
  token: string | undefined;
  onToken(secret: string): void;
}

function StepLine({ step: { name, isDone }, isNext, own, token, onToken }: StepLineProps) {
  const { firstRun } = texts.devices;
  return (
    <li data-step={name} data-done={isDone}>
      <p>
        <strong>{firstRun[name]}</strong>{' '}
        <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? firstRun.done : firstRun.open}</Badge>
      </p>
      {isNext && <p>{firstRun[`${name}Text`]}</p>}
      {isNext && name === 'password' && (
        <LinkButton href={`${pageAddress('profile')}#password`}>{firstRun.passwordAction}</LinkButton>
      )}
      {name === 'live' && own !== undefined && (
        <LinkButton href={deviceAddress(own.udid)}>{firstRun.liveAction(own.name)}</LinkButton>
      )}
      {isNext && name === 'token' && <MakeToken onToken={onToken} />}
      {isNext && name === 'test' && <FirstTest token={token} onToken={onToken} />}
    </li>
  );
}
