import { useEffect, useId, useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, LinkButton, Panel } from '../../ui/index.ts';
import { type FirstRunMemory, readFirstRun, writeFirstRun } from './first-run-memory.ts';
import { isNearlyDone, nextStep, type Step, stepsOf } from './first-run-steps.ts';
import { FirstTest, MakeToken } from './first-test-step.tsx';
import type { Device } from './seen-devices.ts';

/** Shows the first steps of a new account until they are done or the user hides them. */
export function FirstRun({ devices }: { devices: readonly Device[] }) {
  const { id } = caller.value;
  const [memory, setMemory] = useState(() => readFirstRun(id));
  if (memory.isDismissed || caller.value.authDisabled) return null;
  const remember = (part: Partial<FirstRunMemory>) => {
    const next = { ...memory, ...part };
    writeFirstRun(id, next);
    setMemory(next);
  };
  return <Steps devices={devices} memory={memory} remember={remember} />;
}

interface StepsProps {
  devices: readonly Device[];
  memory: FirstRunMemory;
  remember(part: Partial<FirstRunMemory>): void;
}

function Steps({ devices, memory, remember }: StepsProps) {
  const { id, role, builtInPassword } = caller.value;
  const known = useResource(async () => {
    const [tokens, sessions] = await Promise.all([
      call('listTokens'),
      call('listSessions', { query: { owner: id, limit: '1' } }),
    ]);
    return { hasToken: tokens.length > 0, hasRun: sessions.length > 0 };
  });
  useReloadOn(['session_started'], known.reload);
  const own = devices.find(({ session }) => session?.owner?.id === id);
  useEffect(() => {
    if (own !== undefined && !memory.hasSeen) remember({ hasSeen: true });
  }, [own?.udid]);

  const list = useId();
  const [token, setToken] = useState<string>();
  // True once the page has found a step that is not done. If all steps were done when the page was opened, the steps
  // are not shown.
  const [isFresh, setFresh] = useState(false);
  // Whether the steps are unfolded. Decided when the steps first appear, so that they do not fold while the user is
  // doing them.
  const [isOpen, setOpen] = useState(true);
  if (known.value === undefined) return null;
  const steps = stepsOf({
    isSuperAdmin: role === 'Super admin',
    builtInPassword: builtInPassword === true,
    ...known.value,
    hasSeen: memory.hasSeen,
  });
  const next = nextStep(steps);
  if (next !== undefined && !isFresh) {
    setFresh(true);
    setOpen(!isNearlyDone(steps));
  }
  if (next === undefined && !isFresh) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  const { firstRun } = texts.devices;
  return (
    <Panel
      title={firstRun.title}
      lead={
        <span role="status">
          {next === undefined ? firstRun.finished : firstRun.progress(done, steps.length)}
        </span>
      }
      actions={
        <>
          <Button aria-expanded={isOpen} aria-controls={list} onClick={() => setOpen(!isOpen)}>
            {isOpen ? firstRun.fold : firstRun.show}
          </Button>
          <Button onClick={() => remember({ isDismissed: true })}>{firstRun.dismiss}</Button>
        </>
      }
    >
      <ol class="first-run" id={list} hidden={!isOpen}>
        {steps.map((step) => (
          <StepLine
            key={step.name}
            step={step}
            isNext={step === next}
            own={own}
            token={token}
            onToken={(secret) => {
              setToken(secret);
              known.reload();
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
