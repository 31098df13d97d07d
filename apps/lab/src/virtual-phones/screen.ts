import type { FrameSource } from '@svc/device-lab';
import { encode } from 'jpeg-js';
import { glyphOf } from './bitmap-font.ts';

/** What the screen of a virtual phone shows. */
export interface ScreenContent {
  readonly udid: string;
  /** Name of the session that runs on it, or null. */
  readonly session: string | null;
  /** ms since 1970. */
  readonly at: number;
}

/** Pixels of a cell. The screen is a grid of cells, and a character takes one or more of them. */
const CELL = 8;
const COLUMNS = 27;
const ROWS = 48;
const WIDTH = COLUMNS * CELL;
/** Encoding a frame takes tens of milliseconds, so a new one is drawn only when the clock shows another second. */
const FRAME_MS = 1_000;
const QUALITY = 50;

/** Levels of grey, as RGBA pixels of four equal bytes. A JPEG has no transparency. */
const BACKGROUND = 0x18181818;
const TEXT = 0xf0f0f0f0;

/** The screen of a virtual phone, drawn once a second while a viewer watches. */
export function screenOf(content: () => ScreenContent): FrameSource {
  return {
    open: ({ frame }) => {
      const draw = () => frame(drawScreen(content()));
      const timer = setInterval(draw, FRAME_MS);
      draw();
      return () => clearInterval(timer);
    },
  };
}

/** Draws udid, clock and running session as a JPEG. */
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
 * Writes centred text. `scale` is the cells per character; the default is the largest that fits. Longer text is cut.
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
