import type { Device } from '../device.ts';
import { ClientLeft } from '../queue/phone-request.ts';
import type { StartedSession, StartResult } from '../start-session.ts';

/**
 * Thrown if the lab no longer waits for a driver to start. The driver goes on, so the device must stay reserved until
 * `settled` resolves. By then, a session that the driver has made nevertheless is ended. The message is sent to the
 * client.
 */
export class StartCancelled extends Error {
  /** Resolves when the driver has settled and runs no session. Set by `RunningStarts.run`. */
  settled: Promise<void> = Promise.resolve();
}

export class StartTimedOut extends StartCancelled {
  constructor() {
    super('the driver did not start in time');
    this.name = 'StartTimedOut';
  }
}

class StartReleased extends StartCancelled {
  constructor() {
    super('the phone was released by an administrator');
    this.name = 'StartReleased';
  }
}

/**
 * Thrown if the driver's response names another phone than the reserved one (contract 14.2). The session has been ended
 * before. The message is sent to the client and names no phone, because the client may not be allowed to see it.
 */
export class WrongPhone extends Error {
  readonly reserved: string;
  readonly taken: string;

  constructor(reserved: string, taken: string) {
    super('the driver took another phone');
    this.name = 'WrongPhone';
    this.reserved = reserved;
    this.taken = taken;
  }
}

interface StartsOptions {
  /** Seconds within which a driver must start; 0 means no limit. */
  readonly seconds: number;
  /** Ends a session. Never rejects. */
  readonly stop: (session: StartedSession) => Promise<void>;
}

interface Circumstances {
  readonly device: Device | null;
  /** Whether the time limit applies. It does not in a grid, which may queue the request. */
  readonly isLimited: boolean;
  /** Aborted when the client has disconnected. */
  readonly gone?: AbortSignal | undefined;
}

interface Running {
  readonly udid: string | null;
  readonly cancel: (error: StartCancelled) => void;
}

/** The starts of drivers that are not complete, and their limits (contract 14.2, 14.7). */
export class RunningStarts {
  readonly #options: StartsOptions;
  readonly #running = new Set<Running>();

  constructor(options: StartsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a start. Rejects with `StartCancelled` if it takes too long or is released, with `WrongPhone` if the session
   * runs on another device, with `ClientLeft` if the client has disconnected before the driver has made the session,
   * and with the error of the start.
   */
  async run<A>(
    starting: Promise<StartResult<A>>,
    { device, isLimited, gone }: Circumstances,
  ): Promise<StartResult<A>> {
    const { seconds, stop } = this.#options;
    let cancel: Running['cancel'] = () => undefined;
    const cancelled = new Promise<never>((_, reject) => {
      cancel = reject;
    });
    const running: Running = { udid: device?.udid ?? null, cancel };
    this.#running.add(running);
    const limitMs = isLimited && seconds > 0 ? seconds * 1_000 : null;
    const timer =
      limitMs === null ? undefined : setTimeout(() => cancel(new StartTimedOut()), limitMs).unref();
    try {
      const result = await Promise.race([starting, cancelled]);
      if ('refused' in result) return result;
      const { started } = result;
      const taken = device === null ? undefined : otherPhoneOf(started, device.udid);
      if (taken === undefined && gone?.aborted !== true) return result;
      await stop(started);
      throw taken !== undefined && device !== null ? new WrongPhone(device.udid, taken) : new ClientLeft();
    } catch (error) {
      if (error instanceof StartCancelled) error.settled = this.#settled(starting);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(running);
    }
  }

  /**
   * Cancels the start on a device.
   * @returns false if no driver starts there
   */
  release(udid: string): boolean {
    const found = [...this.#running].filter((each) => each.udid === udid);
    for (const { cancel } of found) cancel(new StartReleased());
    return found.length > 0;
  }

  async #settled<A>(starting: Promise<StartResult<A>>): Promise<void> {
    const result = await starting.catch(() => undefined);
    if (result !== undefined && 'started' in result) await this.#options.stop(result.started);
  }
}

/** Names under which drivers return the device that they drive. */
const NAMES = ['deviceUDID', 'udid'].flatMap((name) => [name, `appium:${name}`]);

/** @returns the udid of another device that the driver's response names, or undefined if it names none */
function otherPhoneOf({ capabilities }: StartedSession, udid: string): string | undefined {
  for (const name of NAMES) {
    const named = capabilities[name];
    if (named != null && named !== udid) return String(named);
  }
  return undefined;
}
