import { call } from '../../../api/client.ts';
import type { Part, Swipe } from '../../../screen/touch.ts';
import { type Size, sizeIn, swipeCommand } from './gestures.ts';
import { type Command, execute, keyCommand, type PhoneKey } from './phone-keys.ts';
import { DriverRefusal, type WebDriver } from './web-driver.ts';

/**
 * Maximum number of inputs that wait for the phone. Further inputs are refused, because the phone is too slow for them.
 */
const MOST_WAITING = 32;
/** Maximum length of texts that are sent together; the API accepts 4,096 characters. */
const MOST_CHARACTERS = 4_000;
const UNKNOWN = new Set(['unknown command', 'unknown method', 'unsupported operation']);

/** Thrown if too many inputs wait for the phone. */
export class TooManyInputs extends Error {}

interface PhoneOptions {
  readonly webDriver: Pick<WebDriver, 'send'>;
  /** Session to which the inputs are sent, or undefined if the phone accepts input without a session. */
  readonly sessionId?: string | undefined;
  readonly udid: string;
  readonly platform: string;
}

/**
 * Sends inputs of the page to a phone, one after the other. Taps and texts use the routes below `/control`, so that
 * typed texts stay out of the log of the driver. Everything else is a command of the session, or also uses these routes
 * if there is no session.
 */
export class RemotePhone {
  /** Id of the session, or an empty text if there is none. */
  readonly sessionId: string;
  readonly isDirect: boolean;
  readonly #options: PhoneOptions;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Text that has not been sent yet, to which the next characters are added. */
  #unsent: { text: string } | undefined;
  #size: Size | undefined;

  constructor(options: PhoneOptions) {
    this.#options = options;
    this.sessionId = options.sessionId ?? '';
    this.isDirect = options.sessionId === undefined;
  }

  tap({ x, y }: Part): Promise<void> {
    return this.#inTurn(async () => {
      await call('tap', { params: { udid: this.#options.udid }, body: { x, y } });
    });
  }

  /** Types a text. Characters that are typed while another input is running are sent together. */
  type(text: string): Promise<void> {
    const unsent = this.#unsent;
    if (unsent !== undefined && unsent.text.length + text.length <= MOST_CHARACTERS) {
      unsent.text += text;
      return Promise.resolve();
    }
    const held = { text };
    const typed = this.#inTurn(async () => {
      if (this.#unsent === held) this.#unsent = undefined;
      await call('typeText', { params: { udid: this.#options.udid }, body: { text: held.text } });
    });
    this.#unsent = held;
    return typed;
  }

  swipe(swipe: Swipe): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isDirect) await this.#swipeDirectly(swipe);
      else await this.#run(swipeCommand(swipe, await this.#sizeNow()));
    });
  }

  press(key: PhoneKey): Promise<void> {
    const { udid, platform } = this.#options;
    return this.#inTurn(async () => {
      if (this.isDirect) await call('pressKey', { params: { udid }, body: { key } });
      else await this.#run(keyCommand(platform, key));
    });
  }

  async #swipeDirectly({ from, to, durationMs }: Swipe): Promise<void> {
    const body = { from, to, durationMs: Math.round(durationMs) };
    await call('swipe', { params: { udid: this.#options.udid }, body });
  }

  rotate(): Promise<void> {
    return this.#inTurn(async () => {
      const now = await this.#send('GET', '/orientation');
      const orientation = now === 'LANDSCAPE' ? 'PORTRAIT' : 'LANDSCAPE';
      await this.#run({ path: '/orientation', body: { orientation } });
      this.#size = undefined;
    });
  }

  /**
   * Opens an address on the phone: by the command `mobile: deepLink`, or by `POST /url` if the driver does not support
   * it.
   */
  open(url: string): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#run(execute('mobile: deepLink', { url }));
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        await this.#run({ path: '/url', body: { url } });
      }
    });
  }

  /** @returns a picture of the screen, as base64 text */
  picture(): Promise<string> {
    return this.#inTurn(async () => String(await this.#send('GET', '/screenshot')));
  }

  setName(name: string): Promise<void> {
    return this.#inTurn(() => this.#run(execute('svc: setSessionName', { name })));
  }

  /**
   * Restarts the idle time-out of the session, and reads the size of the screen, which changes when the phone is
   * rotated.
   */
  async keepAlive(): Promise<void> {
    if (this.#waiting > 0) return;
    await this.#inTurn(async () => {
      this.#size = sizeIn(await this.#send('GET', '/window/rect'));
    });
  }

  async #sizeNow(): Promise<Size> {
    this.#size ??= sizeIn(await this.#send('GET', '/window/rect'));
    if (this.#size === undefined)
      throw new DriverRefusal('unknown error', 'the size of the screen is not known');
    return this.#size;
  }

  async #run({ path, body }: Command): Promise<void> {
    await this.#send('POST', path, body);
  }

  #send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const session = `/session/${encodeURIComponent(this.sessionId)}`;
    return this.#options.webDriver.send(method, session + path, body);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw new TooManyInputs();
    this.#unsent = undefined;
    this.#waiting += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** @returns whether the error says that the driver does not have the command */
export function isUnsupported(error: unknown): boolean {
  return error instanceof DriverRefusal && UNKNOWN.has(error.code);
}

/** @returns whether the error says that the session has ended */
export function isSessionGone(error: unknown): boolean {
  return error instanceof DriverRefusal && error.code === 'invalid session id';
}
