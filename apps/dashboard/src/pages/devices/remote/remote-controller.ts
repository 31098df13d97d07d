import type { Device } from '../seen-devices.ts';
import { isSessionGone, RemotePhone } from './remote-phone.ts';
import { createBody } from './session-capabilities.ts';
import { sessionToken } from './session-token.ts';
import type { WebDriver } from './web-driver.ts';

/** Why remote control has ended on this page although the user did not press Stop here. */
export type EndReason = 'lease' | 'elsewhere' | 'taken' | 'left';

export type RemoteState =
  | {
      readonly kind: 'off';
      readonly why?: EndReason;
      /**
       * Id of the session that has just ended here. The list of phones may still show this session for a moment, so the
       * page must not treat it as a running session.
       */
      readonly endedId?: string;
    }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly phone: RemotePhone };

interface ControllerOptions {
  readonly webDriver: Pick<WebDriver, 'send' | 'sendLast' | 'prepare'>;
  readonly device: Pick<Device, 'udid' | 'platform'>;
  readonly report: (state: RemoteState) => void;
  readonly mintSessionToken?: () => Promise<string | undefined>;
}

interface Start {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly app?: string | undefined;
}

/** Milliseconds between commands that keep the session alive. It is far below the idle time-out of the session. */
const KEEP_ALIVE_MS = 25_000;

const NAME = 'Remote control';
const NAMED = /^Remote control(?: \((\d{1,6})\))?$/;

/**
 * Reads the turn from the name of a session of remote control: how many pages have controlled the session so far. A
 * page that takes a session over renames it with the next number, so that the page before detects this and stops.
 * @returns the turn, starting with 1, or null if the session is not one of remote control
 */
export function turnIn(name: string | null | undefined): number | null {
  const found = NAMED.exec(name ?? '');
  return found === null ? null : Number(found[1] ?? 1);
}

function nameOf(turn: number): string {
  return turn === 1 ? NAME : `${NAME} (${turn})`;
}

/**
 * Starts and ends the session with which this page controls a phone. The session belongs to the signed-in user. For the
 * server it is like the session of a test: all its requests are checked in the same way.
 */
export class RemoteController {
  readonly #options: ControllerOptions;
  #state: RemoteState = { kind: 'off' };
  #turn = 1;
  /**
   * Whether the list of phones has shown the session yet. Until then, a list without the session does not mean that the
   * session has ended, because the list is updated some time after the session has started.
   */
  #isListed = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  /**
   * Number of times that remote control has ended. If it changes while `start` waits for the new session, the user has
   * left the page or pressed Stop in the meantime.
   */
  #round = 0;

  constructor(options: ControllerOptions) {
    this.#options = options;
  }

  /** Starts a session. Rejects with the error of the create-session request. */
  async start({ capabilities, app }: Start): Promise<void> {
    if (this.#state.kind !== 'off') return;
    const { webDriver, device, mintSessionToken = sessionToken } = this.#options;
    const round = this.#round;
    this.#change({ kind: 'starting' });
    try {
      await webDriver.prepare();
      const body = createBody({
        capabilities,
        udid: device.udid,
        sessionToken: await mintSessionToken(),
        app,
      });
      const { sessionId } = (await webDriver.send('POST', '/session', body)) as { sessionId: string };
      if (round !== this.#round) {
        // The page was left, or the user pressed Stop, while the session started. End the session.
        webDriver.sendLast('DELETE', sessionPath(sessionId));
        return;
      }
      this.#turn = 1;
      this.#run(sessionId);
    } catch (error) {
      if (round === this.#round) this.#change({ kind: 'off' });
      throw error;
    }
  }

  /**
   * Continues a session of remote control that runs in another tab or browser. The other page then stops
   * controlling the phone.
   */
  async takeOver({ id, name }: NonNullable<Device['session']>): Promise<void> {
    const round = this.#round;
    await this.#options.webDriver.prepare();
    // The page was left in the meantime, so no page would end the session.
    if (round !== this.#round) return;
    this.#turn = (turnIn(name) ?? 0) + 1;
    this.#run(id);
  }

  /** Ends the session. The page then shows the reason `why`, which is undefined if the user asked for the end. */
  async stop(why?: EndReason): Promise<void> {
    const id = this.#idle(why);
    if (id === undefined) return;
    try {
      await this.#options.webDriver.send('DELETE', sessionPath(id));
    } catch (error) {
      if (!isSessionGone(error)) throw error;
    }
  }

  /** Ends the session while the page is being left, when there is no time to wait for a response. */
  leave(): void {
    const id = this.#idle('left');
    if (id !== undefined) this.#options.webDriver.sendLast('DELETE', sessionPath(id));
  }

  /**
   * Stops remote control on this page without ending the session on the phone, because the session has ended already or
   * another tab controls it.
   */
  lost(why: EndReason): void {
    this.#idle(why);
  }

  /**
   * Ends remote control on this page if the phone's data from the server shows that another page has taken over, that
   * the session has ended, or that the user's lease has ended. Call this whenever the data changes.
   */
  follow(session: Device['session'], holdsLease: boolean): void {
    if (this.#state.kind !== 'running') return;
    const { sessionId } = this.#state.phone;
    if (session?.id === sessionId) {
      this.#isListed = true;
      if ((turnIn(session.name) ?? 0) > this.#turn) {
        this.lost('taken');
        return;
      }
    } else if (this.#isListed) {
      this.lost('elsewhere');
      return;
    }
    if (!holdsLease) void this.stop('lease').catch(() => {});
  }

  #run(sessionId: string): void {
    const { webDriver, device } = this.#options;
    const phone = new RemotePhone({ webDriver, sessionId, udid: device.udid, platform: device.platform });
    this.#isListed = false;
    this.#change({ kind: 'running', phone });
    void this.#keepAlive(phone, () => phone.setName(nameOf(this.#turn)));
    this.#timer = setInterval(() => void this.#keepAlive(phone, () => phone.keepAlive()), KEEP_ALIVE_MS);
  }

  /** Sends a command to the session. Ignores an error, unless the error says that the session has ended. */
  async #keepAlive(phone: RemotePhone, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isSessionGone(error) && this.#state.kind === 'running' && this.#state.phone === phone)
        this.lost('elsewhere');
    }
  }

  /**
   * Changes the state to `off` and stops the commands that keep the session alive, but does not end the session on the
   * phone.
   * @returns the id of the session that was running, or undefined if none was
   */
  #idle(why: EndReason | undefined): string | undefined {
    const before = this.#state;
    this.#round += 1;
    clearInterval(this.#timer);
    if (before.kind === 'off') return undefined;
    const id = before.kind === 'running' ? before.phone.sessionId : undefined;
    this.#change({
      kind: 'off',
      ...(why === undefined ? {} : { why }),
      // `endedId` is not set if another tab took the session over, because the session still runs and can be taken
      // back.
      ...(id === undefined || why === 'taken' ? {} : { endedId: id }),
    });
    return id;
  }

  #change(state: RemoteState): void {
    this.#state = state;
    this.#options.report(state);
  }
}

function sessionPath(id: string): string {
  return `/session/${encodeURIComponent(id)}`;
}
