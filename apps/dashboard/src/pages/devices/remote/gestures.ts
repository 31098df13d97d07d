import type { Part, Swipe } from '../../../screen/touch.ts';
import type { Command } from './phone-keys.ts';

/** Size of the screen in the units of the driver, which are pixels or points. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** @returns the size in a response to the command `GET window/rect`, or undefined if it has none */
export function sizeIn(rect: unknown): Size | undefined {
  const { width, height } = (rect ?? {}) as { width?: unknown; height?: unknown };
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && Number.isFinite(value);
}

/** Returns the command that moves a finger over the screen. */
export function swipeCommand({ from, to, durationMs }: Swipe, size: Size): Command {
  const actions = [
    { type: 'pointerMove', duration: 0, origin: 'viewport', ...pixels(from, size) },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerMove', duration: Math.round(durationMs), origin: 'viewport', ...pixels(to, size) },
    { type: 'pointerUp', button: 0 },
  ];
  const finger = { type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions };
  return { path: '/actions', body: { actions: [finger] } };
}

function pixels({ x, y }: Part, { width, height }: Size): Part {
  return { x: pixel(x, width), y: pixel(y, height) };
}

/** @returns the coordinate at the fraction `part` of a screen's width or height, from 0 to the size minus one */
function pixel(part: number, size: number): number {
  return Math.max(0, Math.min(Math.floor(size * part), Math.ceil(size) - 1));
}

export type Direction = 'up' | 'down' | 'left' | 'right';

const MIDDLE = 0.5;
const NEAR = 0.25;
const FAR = 0.75;

/** Returns the swipe in this direction, which a button offers to users who do not use a mouse. */
export function swipeTo(direction: Direction): Swipe {
  const ends = {
    up: [
      { x: MIDDLE, y: FAR },
      { x: MIDDLE, y: NEAR },
    ],
    down: [
      { x: MIDDLE, y: NEAR },
      { x: MIDDLE, y: FAR },
    ],
    left: [
      { x: FAR, y: MIDDLE },
      { x: NEAR, y: MIDDLE },
    ],
    right: [
      { x: NEAR, y: MIDDLE },
      { x: FAR, y: MIDDLE },
    ],
  } as const;
  const [from, to] = ends[direction];
  return { from, to, durationMs: 300 };
}
