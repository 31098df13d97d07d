import { AsyncResource } from 'node:async_hooks';
import { type DeviceInput, InputFailed } from '@svc/device-lab';
import { logger } from './appium.ts';
import type { InnerDriver } from './appium-types.ts';

/**
 * Maximum time in ms for an input. It counts as failed afterwards, although the driver may still carry it out later.
 */
const INPUT_MS = 30_000;

/**
 * Types text, taps or sets the clipboard on a device. It calls methods of the session's driver directly, because a
 * command through Appium would also pass the text to other plugins. The call waits in the driver's command queue and
 * restarts the driver's idle time-out, as a command does. Everything that this driver logs during the call is masked,
 * as for a request marked sensitive (specification 5.5.2). Rejects with `InputFailed` without the driver's message,
 * because that message may quote the text.
 */
export async function inputThrough(driver: InnerDriver, id: string, input: DeviceInput): Promise<void> {
  const call: Call = (method, ...args) => {
    const own = (driver as unknown as Record<string, unknown>)[method];
    if (typeof own !== 'function') throw new MissingMethod();
    return own.call(driver, ...args, id);
  };
  await inTime(inTurn(driver, id, () => put(call, input)));
}

function put(call: Call, input: DeviceInput): Promise<void> {
  switch (input.kind) {
    case 'text':
      return type(call, input.text);
    case 'tap':
      return tap(call, input);
    case 'clipboard':
      return paste(call, input.content);
  }
}

type Call = (method: string, ...args: unknown[]) => Promise<unknown>;

class MissingMethod extends Error {
  readonly error = 'unknown method';
}

/**
 * Driver errors that mean that nothing was typed, because the driver lacks the method or finds no focused field. After
 * any other error, sending the text in another way could type it twice.
 */
const NOTHING_TYPED = new Set(['unknown method', 'unknown command', 'invalid element state']);

/**
 * Types a text with `keys` of the UiAutomator2 and XCUITest drivers, which enters any text into the focused field. If
 * `keys` typed nothing, sends key actions, which every driver supports, but only for some characters. `mobile: type` is
 * not used, because its adb command is logged with the text.
 */
async function type(call: Call, text: string): Promise<void> {
  const failed = await failureOf(() => call('keys', text));
  if (failed === undefined) return;
  if (!NOTHING_TYPED.has(failed)) throw new InputFailed(`keys: ${failed}`);
  const pressed = [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  const again = await failureOf(() => call('performActions', [{ type: 'key', id: 'svc', actions: pressed }]));
  if (again !== undefined) throw new InputFailed(`performActions: ${again}`);
}

const TAP_MS = 50;

/**
 * Taps at a point given as fractions of the screen's width and height. The driver is queried for the size of the
 * screen, because some drivers count points and some count pixels.
 */
async function tap(call: Call, part: { readonly x: number; readonly y: number }): Promise<void> {
  let rect: unknown;
  const unknown = await failureOf(async () => {
    rect = await call('getWindowRect');
  });
  if (unknown !== undefined) throw new InputFailed(`getWindowRect: ${unknown}`);
  const { width, height } = (rect ?? {}) as { width?: unknown; height?: unknown };
  if (!isSize(width) || !isSize(height)) throw new InputFailed('getWindowRect: no size');
  // The largest coordinate is the size minus one: the right-most point of a screen that is 100 wide is 99.
  const at = (size: number, share: number) => Math.min(Math.floor(size * share), size - 1);
  const actions = [
    { type: 'pointerMove', duration: 0, origin: 'viewport', x: at(width, part.x), y: at(height, part.y) },
    { type: 'pointerDown', button: 0 },
    { type: 'pause', duration: TAP_MS },
    { type: 'pointerUp', button: 0 },
  ];
  const finger = { type: 'pointer', id: 'svc', parameters: { pointerType: 'touch' }, actions };
  const failed = await failureOf(() => call('performActions', [finger]));
  if (failed !== undefined) throw new InputFailed(`performActions: ${failed}`);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && Number.isFinite(value);
}

async function paste(call: Call, content: string): Promise<void> {
  const encoded = Buffer.from(content).toString('base64');
  const failed = await failureOf(() => call('setClipboard', encoded, 'plaintext'));
  if (failed !== undefined) throw new InputFailed(`setClipboard: ${failed}`);
}

/**
 * Runs a call of the driver.
 * @returns its WebDriver error code (`unknown error` if it has none), or undefined if the call succeeded
 */
async function failureOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const code = (error as { error?: unknown } | null)?.error;
    return typeof code === 'string' && /^[a-z ]{1,40}$/.test(code) ? code : 'unknown error';
  }
}

let inputs = 0;

/**
 * Runs work in the driver's command queue, as a temporary command of the driver. The text to type is no argument of
 * the command, because Appium logs the arguments. The work gets its own log context. Otherwise its log lines would
 * belong to the previous command of the queue.
 */
async function inTurn(driver: InnerDriver, id: string, work: () => Promise<void>): Promise<void> {
  inputs += 1;
  const name = `svcDeviceInput${inputs}`;
  let failure: unknown;
  const methods = driver as unknown as Record<string, unknown>;
  methods[name] = () =>
    unlogged(work).catch((error: unknown) => {
      failure = error;
    });
  try {
    await driver.executeCommand(name, id);
  } catch {
    throw new InputFailed('the session has ended');
  } finally {
    delete methods[name];
  }
  if (failure !== undefined) throw failure;
}

interface ContextLogger {
  updateAsyncContext?(context: { isSensitive: boolean }, replace: boolean): void;
}

/**
 * Runs work in a new log context that is marked sensitive. Appium then masks everything that the driver logs during the
 * work, but no log lines of other work.
 */
function unlogged<T>(work: () => Promise<T>): Promise<T> {
  const context = new AsyncResource('svc.device-input');
  return context.runInAsyncScope(() => {
    (logger.getLogger('svc') as unknown as ContextLogger).updateAsyncContext?.({ isSensitive: true }, true);
    return work();
  });
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new InputFailed('the driver did not answer in time')), INPUT_MS).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
