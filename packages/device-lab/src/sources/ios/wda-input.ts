import type { DeviceKey } from '@svc/contract';
import type { Device } from '../../device.ts';
import { InputFailed } from '../../start-session.ts';
import {
  type DirectInput,
  type DirectInputs,
  InputTurns,
  InputUnsupported,
  pixelOf,
  type ScreenPoint,
  type ScreenSize,
} from '../direct-input.ts';
import { askWda, WdaFailure } from './wda-client.ts';

const LIMITS = { timeoutMs: 15_000, largest: 64 * 1024 } as const;
const TAP_MS = 50;
/** Maximum length of the id of a session of WebDriverAgent, which becomes a part of paths. */
const SESSION_ID = /^[\w-]{1,128}$/;

/** Buttons of an Apple phone, as WebDriverAgent spells them. */
const BUTTONS: Partial<Readonly<Record<DeviceKey, string>>> = {
  home: 'home',
  volumeUp: 'volumeUp',
  volumeDown: 'volumeDown',
};
/** Characters that WebDriverAgent types for keys. */
const CHARACTERS: Partial<Readonly<Record<DeviceKey, string>>> = {
  enter: '\n',
  backspace: '\b',
  delete: '\u007F',
};

/** Sends a request below the path of a session of WebDriverAgent. */
type Post = (path: string, body: object) => Promise<unknown>;

/**
 * Puts inputs into Apple phones through their WebDriverAgent, in a session of the lab's own. A WebDriverAgent has one
 * session at a time. That of a driver replaces the lab's, which is then created again for the next input.
 */
export class WdaInput implements DirectInputs {
  readonly #turns = new InputTurns();
  /** Ids of the lab's own sessions, by the address of the WebDriverAgent. */
  readonly #sessions = new Map<string, string>();

  offers({ wdaUrl, node }: Device): boolean {
    return node === null && typeof wdaUrl === 'string';
  }

  async put({ udid, wdaUrl }: Device, input: DirectInput, check: () => void): Promise<void> {
    if (typeof wdaUrl !== 'string') throw new InputFailed('the phone has no WebDriverAgent');
    await this.#turns.run(udid, async () => {
      check();
      try {
        await this.#inSession(wdaUrl, check, (post, get) => put(post, get, input));
      } catch (error) {
        throw error instanceof WdaFailure ? new InputFailed(error.message) : error;
      }
    });
  }

  /** Runs the work in the lab's session. If it is gone, creates another one and runs the work again. */
  async #inSession(
    wdaUrl: string,
    check: () => void,
    work: (post: Post, size: () => Promise<ScreenSize>) => Promise<void>,
  ): Promise<void> {
    const known = this.#sessions.get(wdaUrl);
    if (known !== undefined) {
      try {
        return await work(...inSession(wdaUrl, known, check));
      } catch (error) {
        if (!(error instanceof WdaFailure && error.isSessionGone)) throw error;
      }
    }
    const body = { capabilities: { alwaysMatch: {} } };
    const created = await askWda(wdaUrl, { method: 'POST', path: '/session', body, ...LIMITS });
    const { sessionId } = (created ?? {}) as { sessionId?: unknown };
    if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId))
      throw new WdaFailure('WebDriverAgent created no session');
    this.#sessions.set(wdaUrl, sessionId);
    await work(...inSession(wdaUrl, sessionId, check));
  }
}

function inSession(wdaUrl: string, id: string, check: () => void): [Post, () => Promise<ScreenSize>] {
  const post: Post = (path, body) => {
    check();
    return askWda(wdaUrl, { method: 'POST', path: `/session/${id}${path}`, body, ...LIMITS });
  };
  const size = async () => {
    const answer = await askWda(wdaUrl, { method: 'GET', path: `/session/${id}/window/size`, ...LIMITS });
    const { width, height } = (answer ?? {}) as { width?: unknown; height?: unknown };
    if (!isLength(width) || !isLength(height)) throw new InputFailed('the size of the screen is not known');
    return { width, height };
  };
  return [post, size];
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= 100_000;
}

async function put(post: Post, size: () => Promise<ScreenSize>, input: DirectInput): Promise<void> {
  switch (input.kind) {
    case 'text':
      await post('/wda/keys', { value: [...input.text] });
      return;
    case 'clipboard':
      await post('/wda/setPasteboard', {
        content: Buffer.from(input.content).toString('base64'),
        contentType: 'plaintext',
      });
      return;
    case 'tap':
      await post('/actions', finger(input, input, TAP_MS, await size()));
      return;
    case 'swipe':
      await post('/actions', finger(input.from, input.to, input.durationMs, await size()));
      return;
    case 'key':
      return await press(post, input.key);
  }
}

async function press(post: Post, key: DeviceKey): Promise<void> {
  const button = BUTTONS[key];
  const character = CHARACTERS[key];
  if (button !== undefined) await post('/wda/pressButton', { name: button });
  else if (character !== undefined) await post('/wda/keys', { value: [character] });
  else if (key === 'power') await post('/wda/lock', {});
  else
    throw new InputUnsupported(
      'An Apple phone does not have this key. Start a session to use other commands.',
    );
}

/** @returns the actions of a finger that goes down at one point and up at another, or at the same one */
function finger(from: ScreenPoint, to: ScreenPoint, durationMs: number, size: ScreenSize): object {
  const actions = [
    { type: 'pointerMove', duration: 0, ...at(from, size) },
    { type: 'pointerDown', button: 0 },
    from === to
      ? { type: 'pause', duration: durationMs }
      : { type: 'pointerMove', duration: durationMs, ...at(to, size) },
    { type: 'pointerUp', button: 0 },
  ];
  return { actions: [{ type: 'pointer', id: 'svc', parameters: { pointerType: 'touch' }, actions }] };
}

function at({ x, y }: ScreenPoint, { width, height }: ScreenSize): object {
  return { origin: 'viewport', x: pixelOf(x, width), y: pixelOf(y, height) };
}
