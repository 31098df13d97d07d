import { facts, failure } from '../results.ts';
import { CHANGES, part, SESSION_ID, text, whole } from './tool.ts';
import { asObject, type SessionContext, sessionTool } from './web-driver.ts';

type OfSession = { readonly sessionId: string };

const ELEMENT_ID = text('Id of an element, as find_elements returned it.');
/** Time (ms) between press and release of the finger in a tap. */
const TAP_MS = 50;
const USUAL_SWIPE_MS = 500;
const ENTER = '\uE007';

/**
 * @returns the path of an element. The conversion to a `Buffer` and back replaces unpaired surrogates in the id, for
 * which `encodeURIComponent` would throw an error.
 */
function elementPath(session: string, elementId: string): string {
  return `${session}/element/${encodeURIComponent(Buffer.from(elementId).toString())}`;
}

export const tap = sessionTool<
  OfSession & { readonly elementId?: string; readonly x?: number; readonly y?: number }
>({
  name: 'tap',
  title: 'Tap',
  description:
    'Taps an element, or a point of the screen. Pass either elementId, which is more reliable, or x and y as parts of the width and height from 0 to 1: 0.5 and 0.5 is the middle. Pixels are not accepted. Example: {"sessionId":"5b1f…","x":0.5,"y":0.9}.',
  arguments: {
    sessionId: SESSION_ID,
    elementId: ELEMENT_ID,
    x: part('Part of the width, from 0 (left) to 1 (right).'),
    y: part('Part of the height, from 0 (top) to 1 (bottom).'),
  },
  required: ['sessionId'],
  annotations: CHANGES,
  run: async ({ elementId, x, y }, context) => {
    const { send, path } = context;
    const isPoint = x !== undefined && y !== undefined;
    if (
      (elementId !== undefined) === (x !== undefined || y !== undefined) ||
      (elementId === undefined && !isPoint)
    )
      return failure('Pass either elementId, or both x and y.');
    if (elementId !== undefined) {
      await send({ method: 'POST', path: `${elementPath(path, elementId)}/click`, body: {} });
    } else if (isPoint) {
      const [at] = await pixelsOf(context, [{ x, y }]);
      await touch(context, [
        { type: 'pointerMove', duration: 0, origin: 'viewport', ...at },
        { type: 'pointerDown', button: 0 },
        { type: 'pause', duration: TAP_MS },
        { type: 'pointerUp', button: 0 },
      ]);
    }
    return facts({ tapped: true });
  },
});

export const swipe = sessionTool<
  OfSession & {
    readonly fromX: number;
    readonly fromY: number;
    readonly toX: number;
    readonly toY: number;
    readonly durationMs?: number;
  }
>({
  name: 'swipe',
  title: 'Swipe',
  description:
    'Moves a finger over the screen, for example to scroll. All points are parts of the width and height from 0 to 1. To see what is further down, swipe up: from y 0.8 to y 0.2. Example: {"sessionId":"5b1f…","fromX":0.5,"fromY":0.8,"toX":0.5,"toY":0.2,"durationMs":400}.',
  arguments: {
    sessionId: SESSION_ID,
    fromX: part('Part of the width at which the finger goes down.'),
    fromY: part('Part of the height at which the finger goes down.'),
    toX: part('Part of the width at which the finger goes up.'),
    toY: part('Part of the height at which the finger goes up.'),
    durationMs: whole(`Duration in milliseconds; ${USUAL_SWIPE_MS} without it.`, 1, 10_000),
  },
  required: ['sessionId', 'fromX', 'fromY', 'toX', 'toY'],
  annotations: CHANGES,
  run: async ({ fromX, fromY, toX, toY, durationMs = USUAL_SWIPE_MS }, context) => {
    const [from, to] = await pixelsOf(context, [
      { x: fromX, y: fromY },
      { x: toX, y: toY },
    ]);
    await touch(context, [
      { type: 'pointerMove', duration: 0, origin: 'viewport', ...from },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerMove', duration: durationMs, origin: 'viewport', ...to },
      { type: 'pointerUp', button: 0 },
    ]);
    return facts({ swiped: true });
  },
});

export const typeText = sessionTool<OfSession & { readonly text: string; readonly elementId?: string }>({
  name: 'type_text',
  title: 'Type a text',
  description:
    'Types a text into an element, or without elementId into the field that has the focus. It adds to the text that is there. Do not type passwords that you were not given for this task. For single keys use press_key. Example: {"sessionId":"5b1f…","elementId":"3","text":"milk"}.',
  arguments: { sessionId: SESSION_ID, text: text('Text to type.', 4_000), elementId: ELEMENT_ID },
  required: ['sessionId', 'text'],
  annotations: CHANGES,
  run: async ({ text: typed, elementId }, context) => {
    const { send, path } = context;
    if (elementId === undefined) await press(context, typed);
    else {
      await send({ method: 'POST', path: `${elementPath(path, elementId)}/value`, body: { text: typed } });
    }
    return facts({ typed: true });
  },
});

type Key = 'home' | 'back' | 'enter' | 'volumeUp' | 'volumeDown';

/** Android key code of each key. */
const ANDROID: Readonly<Record<Key, number>> = { home: 3, back: 4, enter: 66, volumeUp: 24, volumeDown: 25 };
/** Names of the buttons of an iPhone. Keys that are not listed do not exist on an iPhone. */
const IOS: Partial<Readonly<Record<Key, string>>> = {
  home: 'home',
  volumeUp: 'volumeup',
  volumeDown: 'volumedown',
};

export const pressKey = sessionTool<OfSession & { readonly key: Key }>({
  name: 'press_key',
  title: 'Press a key',
  description:
    'Presses a key of the phone: home, back, enter, volumeUp or volumeDown. To type a text use type_text. Not every driver supports every key. Example: {"sessionId":"5b1f…","key":"back"}.',
  arguments: {
    sessionId: SESSION_ID,
    key: { type: 'string', enum: Object.keys(ANDROID), description: 'Key to press.' },
  },
  required: ['sessionId', 'key'],
  annotations: CHANGES,
  run: async ({ key }, context) => {
    const { send, path, platform } = context;
    const button = platform === 'ios' || platform === 'tvos' ? IOS[key] : undefined;
    if (platform === 'android') await execute(context, 'mobile: pressKey', { keycode: ANDROID[key] });
    else if (button !== undefined) await execute(context, 'mobile: pressButton', { name: button });
    else if (key === 'enter') await press(context, ENTER);
    else if (key === 'back') await send({ method: 'POST', path: `${path}/back`, body: {} });
    else await execute(context, 'mobile: pressKey', { keycode: ANDROID[key] });
    return facts({ pressed: key });
  },
});

export const launchApp = sessionTool<OfSession & { readonly appId: string }>({
  name: 'launch_app',
  title: 'Bring an app to the front',
  description:
    'Starts an installed app, or brings it to the front if it runs. It installs nothing: name the app in the capabilities of start_session for that. appId is the package on Android and the bundle id on iOS. Example: {"sessionId":"5b1f…","appId":"com.android.settings"}.',
  arguments: { sessionId: SESSION_ID, appId: text('Package or bundle id of the app.') },
  required: ['sessionId', 'appId'],
  annotations: CHANGES,
  run: async ({ appId }, context) => {
    const named = context.platform === 'ios' || context.platform === 'tvos' ? { bundleId: appId } : { appId };
    await execute(context, 'mobile: activateApp', named);
    return facts({ appId, launched: true });
  },
});

type Point = { readonly x: number; readonly y: number };

/**
 * Converts positions, given as fractions of the width and height of the screen, to the coordinates that the driver
 * uses.
 */
async function pixelsOf({ send, path }: SessionContext, parts: readonly Point[]): Promise<Point[]> {
  const { width, height } = asObject(await send({ method: 'GET', path: `${path}/window/rect` }));
  return parts.map(({ x, y }) => ({ x: at(width, x), y: at(height, y) }));
}

/**
 * Converts a fraction to a coordinate. The largest coordinate is the size minus one, because coordinates start at 0.
 */
function at(size: unknown, share: number): number {
  const known = typeof size === 'number' && size >= 1 ? size : 1;
  return Math.min(Math.floor(known * share), known - 1);
}

async function touch({ send, path }: SessionContext, actions: readonly object[]): Promise<void> {
  const finger = { type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions };
  await send({ method: 'POST', path: `${path}/actions`, body: { actions: [finger] } });
}

async function press({ send, path }: SessionContext, typed: string): Promise<void> {
  const actions = [...typed].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  await send({
    method: 'POST',
    path: `${path}/actions`,
    body: { actions: [{ type: 'key', id: 'keys', actions }] },
  });
}

async function execute({ send, path }: SessionContext, script: string, argument: object): Promise<void> {
  await send({ method: 'POST', path: `${path}/execute/sync`, body: { script, args: [argument] } });
}
