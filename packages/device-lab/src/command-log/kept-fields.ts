import { isRecord } from '@svc/contract';
import { maskAddress, shortened } from './mask.ts';
import type { TypedTexts } from './typed-texts.ts';

/*
 * This file lists which values of a command's body are logged unmasked, by the name of their field
 * (docs/guides/command-log.md). All other values are masked, because any text that is sent to a device may be a
 * password, and any number may be a PIN.
 */

/**
 * Decides what is logged of a value.
 * @returns the text or number to log, or undefined if the value must be masked
 */
type Keep = (value: string | number, typed: TypedTexts) => unknown;
type Fields = Readonly<Record<string, Keep>>;

const number: Keep = (value) => (typeof value === 'number' ? value : undefined);
const text: Keep = (value, typed) => (typeof value === 'string' ? shortened(value, typed) : undefined);
const address: Keep = (value, typed) =>
  typeof value === 'string' ? shortened(maskAddress(value), typed) : undefined;
const like =
  (shape: RegExp): Keep =>
  (value, typed) =>
    typeof value === 'string' && shape.test(value) && !typed.has(value) ? value : undefined;
const oneOf = (...words: readonly string[]): Keep => {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? value : undefined);
};

const each = (names: string, keep: Keep): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, keep]));

const handle = like(/^[\w.{}:-]{1,128}$/);
const strategy = like(/^[-\w ]{1,40}$/);

const EVERYWHERE: Fields = {
  ...each('x y z startX startY endX endY fromX fromY toX toY deltaX deltaY xOffset yOffset', number),
  ...each('left top width height duration speed velocity percent scale rotation', number),
  ...each('element elementId ELEMENT element-6066-11e4-a52e-4f735466cecf', handle),
  ...each('shadow-6066-11e4-a52e-4f735466cecf', handle),
  ...each('bundleId appId appPackage', like(/^[A-Za-z]\w*(?:\.[\w-]+)+$/)),
  ...each('url app appPath', address),
  direction: oneOf('up', 'down', 'left', 'right'),
  orientation: oneOf('PORTRAIT', 'LANDSCAPE'),
};

/**
 * Pattern for a script that is the name of a driver's command, such as `mobile: tap`. Any other script is program text
 * and is masked.
 */
const SCRIPT_NAME =
  /^(?:mobile|svc|fake|windows|macos|flutter|appium|gecko|tizen|roku|espresso):\s{0,8}[A-Za-z][\w.-]{0,63}\s{0,8}$/;
const OWN_SCRIPT = /^svc:\s*[A-Za-z][\w.-]*\s*$/;
const SCRIPT = /^\/execute(?:\/sync|\/async|_async)?$/;
/** Routes that send text and keys to the device. No value of their bodies is logged, because it may be a password. */
const TYPES =
  /\/(?:value|replace_value|keys|text|send_keys|type|send_sms|push_file|press_keycode|long_press_keycode|keyevent)$|clipboard/;
const CDP = /\/(?:cdp\/execute|chromium\/send_command(?:_and_get_result)?)$/;

interface BodyRule {
  readonly route: RegExp;
  readonly keeps: Fields;
  /** Rule for the fields that `keeps` does not contain. If absent, these fields are masked. */
  readonly others?: Keep;
  /** Set if the masked values may have been typed on the device, so that they are masked in responses too. */
  readonly typed?: true;
}

const RULES: readonly BodyRule[] = [
  { route: TYPES, keeps: {}, typed: true },
  { route: SCRIPT, keeps: { ...EVERYWHERE, script: like(SCRIPT_NAME) }, typed: true },
  { route: /\/execute_driver$/, keeps: { type: oneOf('webdriverio') }, typed: true },
  { route: CDP, keeps: { cmd: like(/^[A-Z]\w{0,40}\.\w{1,60}$/) }, typed: true },
  {
    route: /^\/actions$/,
    keeps: {
      ...EVERYWHERE,
      type: oneOf(
        ...['key', 'pointer', 'wheel', 'none', 'keyDown', 'keyUp', 'pause', 'scroll'],
        ...['pointerDown', 'pointerUp', 'pointerMove', 'pointerCancel'],
      ),
      pointerType: oneOf('mouse', 'pen', 'touch'),
      origin: oneOf('viewport', 'pointer'),
      button: number,
    },
    typed: true,
  },
  { route: /\/elements?$/, keeps: { ...EVERYWHERE, using: strategy, value: text } },
  {
    route: /^\/timeouts(?:\/|$)/,
    keeps: { ...each('ms implicit pageLoad script', number), type: strategy },
  },
  {
    route: /^\/(?:window|context|frame|log|se\/log)(?:\/|$)/,
    keeps: { ...EVERYWHERE, ...each('handle name type id', handle) },
  },
  { route: /^\/appium\/settings$/, keeps: {}, others: number },
];
const USUAL: BodyRule = { route: /^/, keeps: EVERYWHERE };
/**
 * Rule for `svc:` commands. Their arguments are logged, because testers send them in order to read them in the log
 * (contract 6.5).
 */
const OWN: BodyRule = {
  route: SCRIPT,
  keeps: { script: like(OWN_SCRIPT), ...each('name status reason tag message label', text) },
};

/**
 * @returns the rule for the body of a command
 * @param route the path after the session id, in lower case
 */
export function bodyRule(route: string, body: unknown): BodyRule {
  if (SCRIPT.test(route) && isRecord(body) && OWN_SCRIPT.test(String(body.script))) return OWN;
  return RULES.find((rule) => rule.route.test(route)) ?? USUAL;
}

/** Returns whether the script of a command is program text, which the log hides. */
export function isHiddenScript(route: string, script: string): boolean {
  return SCRIPT.test(route) && !SCRIPT_NAME.test(script);
}

const UNKEPT_ANSWER =
  /\/(?:source|screenshot|cookie|log|pull_file|pull_folder|stop_recording_screen|execute_driver)$|\/cookie\/|\/log\/|clipboard/;
const UNKEPT_SCRIPT = /clipboard|pull|log|screenshot|source|record|shell|cookie|pasteboard/i;

/**
 * Returns whether a response must not be logged, because it is content of the device, such as its screen or a file, or
 * the result of a program.
 */
export function isUnkeptResponse(route: string, body: unknown): boolean {
  if (UNKEPT_ANSWER.test(route) || CDP.test(route)) return true;
  return SCRIPT.test(route) && isRecord(body) && UNKEPT_SCRIPT.test(String(body.script).slice(0, 256));
}
