import { DEVICE_KEYS, type DeviceKey } from '@svc/contract';
import type { Device } from '../device.ts';
import { type DeviceInput, InputFailed, inputNote } from '../start-session.ts';

/** Position on the screen as shares of its width and height, from 0 (left, top) to 1. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** @returns the pixel at this share of a screen's width or height, from 0 to the size minus one */
export function pixelOf(share: number, size: number): number {
  return Math.max(0, Math.min(Math.floor(size * share), size - 1));
}

/** Input that the lab itself puts into a device, without a driver session. */
export type DirectInput =
  | DeviceInput
  | {
      readonly kind: 'swipe';
      readonly from: ScreenPoint;
      readonly to: ScreenPoint;
      /** Duration of the movement in ms, a whole number. */
      readonly durationMs: number;
    }
  | { readonly kind: 'key'; readonly key: DeviceKey };

/**
 * Thrown if a device does not accept this input without a driver session, independently of the caller. The message is for the
 * caller and never quotes the input.
 */
export class InputUnsupported extends InputFailed {}

/** Puts inputs into devices without a driver session, for example with `input` of Android. */
export interface DirectInputs {
  /** Whether this device accepts input without a driver session now. */
  offers(device: Device): boolean;
  /**
   * Puts an input into a device. Inputs of one device are carried out one after the other. Rejects with
   * `InputUnsupported`, with `InputFailed` if the device does not carry out the input, or with the error of `check`.
   * @param check throws if the caller is no longer allowed to use the device. It is called immediately before each part
   * of the input is sent, because the input may have waited for others.
   */
  put(device: Device, input: DirectInput, check: () => void): Promise<void>;
}

/** @returns inputs for all devices: each device uses the first of `kinds` that offers it */
export function directInputs(kinds: readonly DirectInputs[]): DirectInputs {
  const routeOf = (device: Device) => kinds.find((kind) => kind.offers(device));
  return {
    offers: (device) => routeOf(device) !== undefined,
    put: async (device, input, check) => {
      const route = routeOf(device);
      if (route === undefined) throw new InputFailed('the device accepts no input without a session');
      await route.put(device, input, check);
    },
  };
}

/** Inputs of one device that may wait for others. Further ones are refused, because the device is too slow for them. */
const MOST_WAITING = 32;

/** Runs the work for each device one after the other. */
export class InputTurns {
  readonly #turns = new Map<string, { last: Promise<unknown>; waiting: number }>();

  /** Rejects with `InputFailed` if too much work waits for the device, or with the error of `work`. */
  async run(udid: string, work: () => Promise<void>): Promise<void> {
    const turns = this.#turns.get(udid) ?? { last: Promise.resolve(), waiting: 0 };
    if (turns.waiting >= MOST_WAITING) throw new InputFailed('too many inputs wait for the device');
    this.#turns.set(udid, turns);
    turns.waiting += 1;
    const turn = turns.last.then(work);
    turns.last = turn.catch(() => undefined);
    try {
      await turn;
    } finally {
      turns.waiting -= 1;
      if (turns.waiting === 0) this.#turns.delete(udid);
    }
  }
}

/** @returns a description of an input for the audit trail, without the typed text */
export function directInputNote(input: DirectInput): string {
  switch (input.kind) {
    case 'swipe':
      return `swipe of ${input.durationMs} ms`;
    case 'key':
      return `key ${DEVICE_KEYS.includes(input.key) ? input.key : ''}`;
    default:
      return inputNote(input);
  }
}
