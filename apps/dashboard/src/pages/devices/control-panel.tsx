import { useEffect, useState } from 'preact/hooks';
import { caller } from '../../api/current-caller.ts';
import { useAction } from '../../api/use-action.ts';
import type { Touch } from '../../screen/touch.ts';
import { texts } from '../../texts/en.ts';
import { Button, Panel, Problem } from '../../ui/index.ts';
import { useRefocus } from '../../ui/use-refocus.ts';
import { InputForms } from './input-forms.tsx';
import type { Act } from './remote/act.ts';
import { inputOfKey } from './remote/phone-keys.ts';
import { problemText } from './remote/problem-text.ts';
import { turnIn } from './remote/remote-controller.ts';
import { isSessionGone, type RemotePhone } from './remote/remote-phone.ts';
import { StartForm } from './remote/start-form.tsx';
import { MoreTools, Toolbar } from './remote/toolbar.tsx';
import { type Remote, useRemote } from './remote/use-remote.ts';
import type { Device, Lease } from './seen-devices.ts';

interface ControlPanelProps {
  device: Device;
  /** Lease of the phone, or undefined if there is none or the caller is not allowed to change it. */
  lease: Lease | undefined;
  /**
   * Called with functions that send the user's input to the phone's screen, or with undefined while no session can
   * receive input.
   */
  onTouch(touch: Touch | undefined): void;
}

/**
 * Lets the user control the phone through a session of a test that runs on it, or through a session that this panel
 * starts. To start a session, the user must hold the lease of the phone.
 */
export function ControlPanel({ device, lease, onTouch }: ControlPanelProps) {
  const holdsLease = lease !== undefined && lease.owner.id === caller.value.id;
  const controlled = useRemote(device, holdsLease);
  const { part, expect } = useRefocus(controlled.state.kind);
  const remote = announcing(controlled, expect);
  const inputs = useInputs(remote);
  const [isInstalling, setInstalling] = useState(false);
  const { phone, isOwn } = phoneOf(remote, device);

  useEffect(() => {
    onTouch(phone === undefined ? undefined : touchOf(phone, isOwn, device, inputs));
  }, [phone, isOwn, inputs.count]);
  useEffect(() => () => onTouch(undefined), []);

  const install = async (app: string) => {
    setInstalling(true);
    await inputs.act(() => remote.install(app), texts.remote.install.done);
    setInstalling(false);
  };
  const { control } = texts.devices;
  return (
    <div ref={part}>
      <Panel title={control.title} lead={phone === undefined ? undefined : control.lead}>
        <Problem text={inputs.problem} />
        <p role="status">{statusOf(remote, isInstalling) ?? inputs.done}</p>
        {phone === undefined ? (
          !isInstalling && <Beginning device={device} remote={remote} holdsLease={holdsLease} />
        ) : (
          <>
            {remote.state.kind === 'running' && <Stop remote={remote} />}
            {phone.isDirect && <p>{texts.remote.direct}</p>}
            {isOwn && <Toolbar phone={phone} udid={device.udid} name={device.name} act={inputs.act} />}
            <InputForms
              udid={device.udid}
              hasClipboard={!phone.isDirect || device.platform.toLowerCase() !== 'android'}
              onTap={(at) => void inputs.tap(phone, at)}
            />
            {phone.isDirect && (
              <details>
                <summary>{texts.remote.withSession}</summary>
                <Beginning device={device} remote={remote} holdsLease={holdsLease} />
              </details>
            )}
            {isOwn && !phone.isDirect && (
              <MoreTools
                phone={phone}
                act={inputs.act}
                onInstall={remote.state.kind === 'running' ? install : undefined}
              />
            )}
          </>
        )}
      </Panel>
    </div>
  );
}

/**
 * Returns `remote` with actions that first call `expect`. Each of these actions removes the button that the user has
 * pressed, which would lose the keyboard focus. After `expect`, `useRefocus` moves the focus to the new button.
 */
function announcing(remote: Remote, expect: () => void): Remote {
  const { start, install, takeOver, stop } = remote;
  const expected =
    <Input extends unknown[]>(act: (...input: Input) => Promise<void>) =>
    (...input: Input): Promise<void> => {
      expect();
      return act(...input);
    };
  return {
    ...remote,
    start: expected(start),
    install: expected(install),
    takeOver: expected(takeOver),
    stop: expected(stop),
  };
}

interface Driven {
  readonly phone: RemotePhone | undefined;
  /**
   * Whether the user is the owner of the session. Only the owner is allowed to send every command to a session; others
   * can only tap and type.
   */
  readonly isOwn: boolean;
}

function phoneOf({ state, joined, direct }: Remote, { session }: Device): Driven {
  if (state.kind === 'running') return { phone: state.phone, isOwn: true };
  if (state.kind === 'off' && direct !== undefined) return { phone: direct, isOwn: true };
  const isRemote = turnIn(session?.name) !== null;
  const isOwn = isOwnSession(session);
  const isOver = state.kind === 'off' && state.endedId === session?.id;
  if (state.kind === 'starting' || (isOwn && isRemote) || isOver) return { phone: undefined, isOwn };
  return { phone: joined, isOwn };
}

function isOwnSession(session: Device['session']): boolean {
  const { id, authDisabled } = caller.value;
  if (session === undefined) return false;
  return session.owner === null ? authDisabled : session.owner.id === id;
}

function statusOf({ state }: Remote, isInstalling: boolean): string | undefined {
  const words = texts.remote;
  if (state.kind === 'starting' || (isInstalling && state.kind === 'off')) return words.starting;
  if (state.kind === 'off' && state.why !== undefined) return words.ended[state.why];
  return state.kind === 'off' && state.endedId !== undefined ? words.stopped : undefined;
}

interface BeginningProps {
  device: Device;
  remote: Remote;
  holdsLease: boolean;
}

/** Offers to start remote control, or to take it over from another tab. */
function Beginning({ device: { session }, remote, holdsLease }: BeginningProps) {
  const words = texts.remote;
  const { state, usual } = remote;
  const takeOver = useAction(() => remote.takeOver());
  const isOver = state.kind === 'off' && session !== undefined && state.endedId === session.id;
  if (!holdsLease) return <p>{words.needsLease}</p>;
  if (state.kind === 'off' && session !== undefined && !isOver)
    return (
      <>
        <p>{words.elsewhere}</p>
        <Problem text={takeOver.problem} />
        <Button kind="primary" busy={takeOver.isBusy} onClick={takeOver.run}>
          {words.takeOver}
        </Button>
      </>
    );
  if (usual === undefined) return null;
  return (
    <>
      <p>{words.lead}</p>
      <StartForm usual={usual} remote={remote} />
    </>
  );
}

function Stop({ remote }: { remote: Remote }) {
  const stop = useAction(() => remote.stop());
  return (
    <Button kind="danger" class="remote-stop" busy={stop.isBusy} onClick={stop.run}>
      {texts.remote.stop}
    </Button>
  );
}

interface Inputs {
  readonly act: Act;
  tap(phone: RemotePhone, at: { readonly x: number; readonly y: number }): Promise<void>;
  /** Sentence about the last input; undefined if that input failed or there was none. */
  readonly done: string | undefined;
  /** Why the last input failed; undefined if it succeeded or there was none. */
  readonly problem: string | undefined;
  /** Number of inputs so far. */
  readonly count: number;
}

function useInputs(remote: Remote): Inputs {
  const [last, setLast] = useState<{ done?: string; problem?: string }>({});
  const [count, setCount] = useState(0);
  const act: Act = async (work, done, unsupported) => {
    try {
      await work();
      setLast({ done });
    } catch (error) {
      setLast({ problem: problemText(error, unsupported) });
      if (isSessionGone(error)) remote.gone();
    }
    setCount((before) => before + 1);
  };
  const tap: Inputs['tap'] = (phone, { x, y }) =>
    act(() => phone.tap({ x, y }), texts.devices.control.tapped(Math.round(x * 100), Math.round(y * 100)));
  return { act, tap, done: last.done, problem: last.problem, count };
}

function touchOf(phone: RemotePhone, isOwn: boolean, { name }: Device, { act, tap, count }: Inputs): Touch {
  const words = texts.remote;
  const { typed } = texts.devices.control;
  const tapOnly = { tap: (at: { readonly x: number; readonly y: number }) => void tap(phone, at) };
  if (!isOwn) return tapOnly;
  return {
    ...tapOnly,
    label: words.screen(name),
    hint: words.screenHint,
    swipe: (swipe) => void act(() => phone.swipe(swipe), words.swiped),
    key: (event) => {
      const input = inputOfKey(event);
      if (input?.kind === 'text') void act(() => phone.type(input.text), typed);
      else if (input !== null)
        void act(() => phone.press(input.key), words.pressed(event.key), words.problems.noSuchKey);
      return input !== null;
    },
    paste: (text) => void act(() => phone.type(text.slice(0, 4_000)), typed),
    ...(phone.isDirect
      ? {}
      : { pictures: { take: () => phone.picture(), alt: words.picture(name), inputs: count } }),
  };
}
