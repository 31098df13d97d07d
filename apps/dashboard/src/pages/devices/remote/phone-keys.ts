/** Keys that the page can press on a phone in addition to typing a text. */
export type PhoneKey =
  | 'home'
  | 'back'
  | 'enter'
  | 'volumeUp'
  | 'volumeDown'
  | 'power'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right';

/** A WebDriver command below the session's path. */
export interface Command {
  readonly path: string;
  readonly body: object;
}

/** Android key codes. */
const ANDROID: Readonly<Record<PhoneKey, number>> = {
  home: 3,
  back: 4,
  enter: 66,
  volumeUp: 24,
  volumeDown: 25,
  power: 26,
  backspace: 67,
  delete: 112,
  up: 19,
  down: 20,
  left: 21,
  right: 22,
};

/** Names of the buttons of an Apple device, as the XCUITest driver spells them. */
const APPLE: Partial<Readonly<Record<PhoneKey, string>>> = {
  home: 'home',
  volumeUp: 'volumeup',
  volumeDown: 'volumedown',
};
/** Buttons of the remote control of an Apple TV. */
const APPLE_TV: typeof APPLE = {
  home: 'home',
  back: 'menu',
  enter: 'select',
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
};

/** Code points that the WebDriver standard assigns to keys. */
const STANDARD: Partial<Readonly<Record<PhoneKey, string>>> = {
  enter: '\uE007',
  backspace: '\uE003',
  delete: '\uE017',
  left: '\uE012',
  up: '\uE013',
  right: '\uE014',
  down: '\uE015',
};

/** Returns the command that presses the key. The driver refuses it if the phone has no such key. */
export function keyCommand(platform: string, key: PhoneKey): Command {
  const name = platform.toLowerCase();
  const code = STANDARD[key];
  const button = name === 'ios' ? APPLE[key] : name === 'tvos' ? APPLE_TV[key] : undefined;
  if (button !== undefined) return execute('mobile: pressButton', { name: button });
  if (name === 'android') return execute('mobile: pressKey', { keycode: ANDROID[key] });
  if (code !== undefined) return pressed(code);
  if (key === 'back') return { path: '/back', body: {} };
  // XCUITest has no key for the power button, but this method does the same.
  if (key === 'power' && (name === 'ios' || name === 'tvos')) return execute('mobile: lock', {});
  return execute('mobile: pressKey', { keycode: ANDROID[key] });
}

export function execute(script: string, argument: object): Command {
  return { path: '/execute/sync', body: { script, args: [argument] } };
}

function pressed(value: string): Command {
  const actions = [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ];
  return { path: '/actions', body: { actions: [{ type: 'key', id: 'keys', actions }] } };
}

const NAMED: Readonly<Record<string, PhoneKey>> = {
  Enter: 'enter',
  Backspace: 'backspace',
  Delete: 'delete',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** Input that a key of the user's keyboard causes on the phone. */
export type KeyInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'key'; readonly key: PhoneKey };

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  getModifierState?(name: string): boolean;
}

/**
 * Returns what a key of the user's keyboard does on the phone, or null if the key belongs to the browser. Tab and Escape
 * always belong to the browser, so that keyboard users can leave the screen of the phone.
 */
export function inputOfKey(event: Pressed): KeyInput | null {
  // Some keyboards report AltGr as Ctrl and Alt together. AltGr is not a shortcut, because it is needed to type
  // characters such as @.
  const isShortcut = event.ctrlKey || event.altKey || event.metaKey;
  if (isShortcut && event.getModifierState?.('AltGraph') !== true) return null;
  const named = Object.hasOwn(NAMED, event.key) ? NAMED[event.key] : undefined;
  if (named !== undefined) return { kind: 'key', key: named };
  return [...event.key].length === 1 ? { kind: 'text', text: event.key } : null;
}
