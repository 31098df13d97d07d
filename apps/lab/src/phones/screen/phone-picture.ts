import { glyphOf } from '../../virtual-phones/bitmap-font.ts';

/** Size of a picture. Both sides are multiples of 16, the size of a macroblock in H.264. */
const SHORT_SIDE = 176;
const LONG_SIDE = 384;

/** Content of the screen of a scripted phone. */
export interface ScreenContent {
  readonly lines: readonly string[];
  readonly background: Color;
  readonly isLandscape: boolean;
  /** Position of the last tap as fractions of the screen's width and height, or null if there was none. */
  readonly tap: { readonly x: number; readonly y: number } | null;
}

export type Color = readonly [red: number, green: number, blue: number];

/** A picture in which each pixel is an index into the palette. */
export interface PhonePicture {
  readonly width: number;
  readonly height: number;
  readonly palette: readonly Color[];
  readonly pixels: Uint8Array;
}

const TEXT = 1;
const TAP = 2;
const SCALE = 2;
const LINE_HEIGHT = 9 * SCALE;
const LETTER_WIDTH = 6 * SCALE;
const TAP_RADIUS = 8;

/** Draws the lines of text from the top, and a square where the screen was tapped last. */
export function drawPhone({ lines, background, isLandscape, tap }: ScreenContent): PhonePicture {
  const [width, height] = isLandscape ? [LONG_SIDE, SHORT_SIDE] : [SHORT_SIDE, LONG_SIDE];
  const pixels = new Uint8Array(width * height);
  const set = (x: number, y: number, color: number) => {
    if (x >= 0 && x < width && y >= 0 && y < height) pixels[y * width + x] = color;
  };
  lines.forEach((line, row) => {
    [...line].forEach((character, column) => {
      const { has } = glyphOf(character);
      for (let y = 0; y < 7 * SCALE; y++)
        for (let x = 0; x < 5 * SCALE; x++)
          if (has(Math.floor(x / SCALE), Math.floor(y / SCALE)))
            set(4 + column * LETTER_WIDTH + x, 8 + row * LINE_HEIGHT + y, TEXT);
    });
  });
  if (tap !== null) {
    const [left, top] = [Math.round(tap.x * width), Math.round(tap.y * height)];
    for (let y = -TAP_RADIUS; y <= TAP_RADIUS; y++)
      for (let x = -TAP_RADIUS; x <= TAP_RADIUS; x++) set(left + x, top + y, TAP);
  }
  return { width, height, palette: [background, [240, 240, 240], [255, 200, 0]], pixels };
}
