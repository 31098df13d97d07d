/** Times in this module are milliseconds since 1970, unless a name says otherwise. */

/** Part of a recording, loaded in one request. */
export interface Chunk {
  readonly index: number;
  readonly from: string;
  readonly to: string;
}

/** Picture of a recording. The player shows it until the time of the next picture. */
export interface Frame {
  readonly at: number;
  readonly image: Blob;
}

/**
 * @returns the last item that began at the moment `at` or before, or undefined if all began later; `items` are sorted
 * oldest first
 */
export function latestBefore<Item>(
  items: readonly Item[],
  at: number,
  timeOf: (item: Item) => number,
): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(items[middle] as Item) <= at) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** @returns the chunk with the picture of a moment, or undefined if the moment is before the first picture */
export function chunkAt<C extends Chunk>(chunks: readonly C[], at: number): C | undefined {
  return latestBefore(chunks, at, ({ from }) => Date.parse(from));
}

/** @returns the next or previous command relative to a moment, or undefined if there is none */
export function stepFrom<Item extends { readonly at: string }>(
  items: readonly Item[],
  at: number,
  direction: 1 | -1,
): Item | undefined {
  const times = items.map((item) => Date.parse(item.at));
  const index =
    direction === 1 ? times.findIndex((time) => time > at) : times.findLastIndex((time) => time < at);
  return items[index];
}

/** @returns the moment in the fragment of an address (`#at=<ISO time>`), or null if the fragment contains none */
export function momentIn(fragment: string): number | null {
  const text = new URLSearchParams(fragment.replace(/^#/, '')).get('at');
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** Returns the fragment of an address that makes the player show a moment. */
export function fragmentOf(at: number): string {
  return `#at=${new Date(at).toISOString()}`;
}

/** @returns a number of milliseconds as text, such as `0:07.5` or `1:02:03.0` */
export function clockText(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  const [seconds, minutes, hours] = [
    Math.floor(tenths / 10) % 60,
    Math.floor(tenths / 600) % 60,
    Math.floor(tenths / 36_000),
  ];
  const two = (value: number) => String(value).padStart(2, '0');
  const front = hours > 0 ? `${hours}:${two(minutes)}` : `${minutes}`;
  return `${front}:${two(seconds)}.${tenths % 10}`;
}
