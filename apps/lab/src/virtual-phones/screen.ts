import type { FrameSource } from '@svc/device-lab';
import { encode } from 'jpeg-js';
import { glyphOf } from './bitmap-font.ts';

/** Content of a virtual phone's screen. */
export interface ScreenContent {
  readonly udid: string;
  /**
   * Name of the session that runs on the phone, or the start of its id if it has no name. Null if no session is
   * running.
   */
  readonly session: string | null;
  /** Time that the screen shows (ms since 1970). */
  readonly at: number;
}

/** Width and height of a cell in pixels. The screen is a grid of cells, and each character fills a square of cells. */
const CELL = 8;
const COLUMNS = 27;
const ROWS = 48;
const WIDTH = COLUMNS * CELL;
/**
 * Time (ms) between two frames. One frame a second is enough, because the clock on the screen shows whole seconds. More
 * frames would waste CPU time, because encoding a frame takes tens of milliseconds.
 */
const FRAME_MS = 1_000;
const QUALITY = 50;

/**
 * A grey level as an RGBA pixel: all four bytes are equal, so that their order does not matter. The alpha byte has no
 * effect, because a JPEG has no transparency.
 */
const BACKGROUND = 0x18181818;
const TEXT = 0xf0f0f0f0;

/**
 * Returns the preview of a virtual phone. The screen is drawn once a second while a viewer watches it. If a frame
 * cannot be drawn, the preview ends.
 * @param draw returns a screen as JPEG; the next frame is drawn only when the previous one is ready
 */
export function screenOf(
  content: () => ScreenContent,
  draw: (content: ScreenContent) => Promise<Uint8Array>,
): FrameSource {
  return {
    open: ({ frame, ended }) => {
      let isDrawing = false;
      let isOpen = true;
      const close = (): void => {
        isOpen = false;
        clearInterval(timer);
      };
      const next = async (): Promise<void> => {
        if (isDrawing) return;
        isDrawing = true;
        try {
          const jpeg = await draw(content());
          if (isOpen) frame(jpeg);
        } catch (error) {
          if (isOpen) ended(`the screen cannot be drawn: ${error}`);
          close();
        } finally {
          isDrawing = false;
        }
      };
      const timer = setInterval(() => void next(), FRAME_MS);
      void next();
      return close;
    },
  };
}

/** Draws the udid, the time and the name of the running session as a JPEG. */
export function drawScreen({ udid, session, at }: ScreenContent): Uint8Array {
  const pixels = new Uint32Array(WIDTH * ROWS * CELL).fill(BACKGROUND);
  const clock = new Date(at).toISOString();
  write(pixels, udid, 2);
  write(pixels, clock.slice(11, 19), 12, 3);
  write(pixels, `${clock.slice(0, 10)} UTC`, 16);
  write(pixels, session === null ? 'no session' : 'session', 26);
  if (session !== null) write(pixels, session, 28);
  return encode({ data: new Uint8Array(pixels.buffer), width: WIDTH, height: ROWS * CELL }, QUALITY).data;
}

/**
 * Writes centered text. Each character fills a square of `scale` by `scale` cells. The default scale is 2, or 1 if the
 * text is too long for 2. Text that is still too long is truncated.
 */
function write(
  pixels: Uint32Array,
  text: string,
  row: number,
  scale = text.length > COLUMNS / 2 ? 1 : 2,
): void {
  const characters = [...text].slice(0, Math.floor(COLUMNS / scale));
  const left = Math.floor((COLUMNS - characters.length * scale) / 2);
  characters.forEach((character, index) => {
    drawGlyph(pixels, character, { x: (left + index * scale) * CELL, y: row * CELL, scale });
  });
}

function drawGlyph(
  pixels: Uint32Array,
  character: string,
  at: { readonly x: number; readonly y: number; readonly scale: number },
): void {
  const { has } = glyphOf(character);
  const size = CELL * at.scale;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (has(Math.floor(x / at.scale), Math.floor(y / at.scale)))
        pixels[(at.y + y) * WIDTH + at.x + x] = TEXT;
    }
  }
}
