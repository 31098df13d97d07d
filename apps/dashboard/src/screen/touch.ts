/** Position on the screen, as fractions of its width and height. */
export interface Part {
  readonly x: number;
  readonly y: number;
}

export interface Swipe {
  readonly from: Part;
  readonly to: Part;
  readonly durationMs: number;
}

/** What a user may do with the screen of a phone on a page. */
export interface Touch {
  /** Accessible name of the screen, which says that keys go to the phone. Present if `key` is present. */
  readonly label?: string;
  /** Sentence that says what the user may do with the screen. */
  readonly hint?: string;
  tap(part: Part): void;
  /** Sends a swipe to the phone. Absent if the user is allowed only to tap. */
  readonly swipe?: (swipe: Swipe) => void;
  /** Passes a key to the phone. Returns false if the browser must handle the key, for example Tab or Escape. */
  readonly key?: (event: KeyboardEvent) => boolean;
  readonly paste?: (text: string) => void;
  /** Takes pictures through the session, for a phone without a preview. */
  readonly pictures?: {
    /** @returns a picture of the screen, as base64 text */
    take(): Promise<string>;
    readonly alt: string;
    /** Number of inputs so far. A new picture is taken after each of them. */
    readonly inputs: number;
  };
}

/**
 * A pointer movement that is shorter than this share of the screen's longer side counts as a tap and not as a swipe.
 */
const TAP_SHARE = 0.03;
const SHORTEST_MS = 50;
const LONGEST_MS = 3_000;

interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Place and time of a pointer, in pixels of the page and in ms. */
export interface PointerAt {
  readonly clientX: number;
  readonly clientY: number;
  readonly timeStamp: number;
}

export type Gesture = { readonly kind: 'tap'; readonly at: Part } | ({ readonly kind: 'swipe' } & Swipe);

/** Returns the gesture of a pointer that went down at `down` and up at `up`, on a screen that is shown at `rect`. */
export function gestureOf(down: PointerAt, up: PointerAt, rect: Rect): Gesture {
  const from = partOf(down, rect);
  const to = partOf(up, rect);
  const moved = Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY);
  if (moved <= TAP_SHARE * Math.max(rect.width, rect.height)) return { kind: 'tap', at: from };
  const durationMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, up.timeStamp - down.timeStamp));
  return { kind: 'swipe', from, to, durationMs };
}

function partOf({ clientX, clientY }: PointerAt, { left, top, width, height }: Rect): Part {
  return { x: share(clientX - left, width), y: share(clientY - top, height) };
}

function share(offset: number, size: number): number {
  return size === 0 ? 0 : Math.min(1, Math.max(0, offset / size));
}
