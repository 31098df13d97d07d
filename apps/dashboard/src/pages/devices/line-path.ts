export interface Point {
  /** Time in ms since 1970. */
  readonly at: number;
  /** Value that was read, or null if the phone did not report it. */
  readonly value: number | null;
}

export interface Scale {
  /** Times (ms since 1970) at the left and at the right edge. */
  readonly from: number;
  readonly to: number;
  /** Values at the lower and at the upper edge. Values outside are drawn at the edge. */
  readonly low: number;
  readonly high: number;
}

/** Width and height of the drawing, in the units of its `viewBox`. */
export const WIDTH = 700;
export const HEIGHT = 40;

/**
 * Time between two readings in ms from which on the line is interrupted. The lab stores a reading about every 15
 * minutes, but takes none while the phone is used or away.
 */
const GAP_MS = 60 * 60_000;

/** @returns the `d` of an SVG path through the points, which are sorted by time; empty if no value was read */
export function linePath(points: readonly Point[], { from, to, low, high }: Scale): string {
  const parts: string[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, value } of points) {
    if (value === null || at < from) continue;
    const x = (WIDTH * (at - from)) / (to - from);
    const y = HEIGHT * (1 - (Math.min(high, Math.max(low, value)) - low) / (high - low));
    // A line without length, which its round ends make a dot, shows a reading without neighbours.
    parts.push(at - last > GAP_MS ? `M${rounded(x)} ${rounded(y)}h0` : `L${rounded(x)} ${rounded(y)}`);
    last = at;
  }
  return parts.join('');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
