import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { useResource } from '../../../api/use-resource.ts';
import { texts } from '../../../texts/en.ts';
import type { Device } from '../seen-devices.ts';
import { startProblemText } from './problem-text.ts';
import { RemoteController, type RemoteState } from './remote-controller.ts';
import { RemotePhone } from './remote-phone.ts';
import { usualCapabilities } from './session-capabilities.ts';
import { WebDriver } from './web-driver.ts';

type Capabilities = Readonly<Record<string, unknown>>;

export interface Remote {
  readonly state: RemoteState;
  /** Capabilities that the form suggests for a session on this phone, or undefined while they are loading. */
  readonly usual: Capabilities | undefined;
  /**
   * Session that runs on the phone but was not started or taken over by this page, such as the session of a test. The
   * user can send input to it, but this page does not end it.
   */
  readonly joined: RemotePhone | undefined;
  /** The phone without a session, or undefined if it accepts no input of the user in this way. */
  readonly direct: RemotePhone | undefined;
  /** Starts a session. Rejects with a sentence for the user. */
  start(capabilities: Capabilities): Promise<void>;
  /**
   * Ends the session and starts another one, in which the driver installs an app of the library. Rejects with a
   * sentence for the user.
   */
  install(app: string): Promise<void>;
  takeOver(): Promise<void>;
  stop(): Promise<void>;
  /** Called when a command failed because the session no longer exists. */
  gone(): void;
}

/**
 * Gives a component remote control of a phone. If the page started or took over a session, ends it when the user leaves
 * the page or the component is removed.
 */
export function useRemote(device: Device, holdsLease: boolean): Remote {
  const { udid, platform, session, status, directInput } = device;
  const [state, setState] = useState<RemoteState>({ kind: 'off' });
  const lab = useResource(async () => (await call('capabilities')).webDriver);
  // Independent of `lab`: if the controller were replaced when `lab` has loaded, no controller would end the session
  // that the one before it has taken over in the meantime.
  const webDriver = useMemo(
    () => new WebDriver(async () => (await call('capabilities')).webDriver.basePath),
    [],
  );
  const controller = useMemo(
    () => new RemoteController({ webDriver, device: { udid, platform }, report: setState }),
    [webDriver, udid],
  );
  const joined = useMemo(
    () =>
      session === undefined
        ? undefined
        : new RemotePhone({ webDriver, sessionId: session.id, udid, platform }),
    [webDriver, udid, session?.id],
  );
  const isDirect = directInput === true && holdsLease && session === undefined && status === 'free';
  const direct = useMemo(
    () => (isDirect ? new RemotePhone({ webDriver, udid, platform }) : undefined),
    [webDriver, udid, isDirect],
  );
  const latest = useRef<Capabilities>({});

  useEffect(() => controller.follow(session, holdsLease), [controller, session, holdsLease, state]);
  useEffect(() => {
    const leave = () => controller.leave();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [controller]);

  const start = (capabilities: Capabilities, app?: string) => {
    latest.current = capabilities;
    return controller.start({ capabilities, app });
  };
  return {
    state,
    usual: lab.value && usualCapabilities(device, lab.value.example),
    joined,
    direct,
    start: async (capabilities) => {
      try {
        await start(capabilities);
      } catch (error) {
        throw startProblemText(error);
      }
    },
    install: async (app) => {
      const capabilities = latest.current;
      await controller.stop();
      try {
        await start(capabilities, app);
      } catch (error) {
        await start(capabilities);
        throw startProblemText(error, texts.remote.install.failed);
      }
    },
    takeOver: async () => {
      if (session === undefined) return;
      latest.current = usualCapabilities(device, lab.value?.example ?? null);
      await controller.takeOver(session);
    },
    stop: () => controller.stop(),
    gone: () => controller.lost('elsewhere'),
  };
}
