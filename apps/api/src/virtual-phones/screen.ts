import type { FrameSource, ScreenContent, VirtualPhones } from '@svc/device-lab';
import { glyphOf } from './bitmap-font.ts';
import { BLOCK, type Block, blockOf, jpegOf } from './block-jpeg.ts';

/** In blocks. */
const COLUMNS = 27;
const ROWS = 48;
const FRAME_MS = 500;

/** Greys. */
const BACKGROUND = 24;
const BAR = 96;
const TEXT = 240;

/** A virtual phone's screen, drawn twice a second while somebody looks. */
export function screenOf(phones: VirtualPhones, udid: string): FrameSource {
  return {
    open: ({ frame }) => {
      const draw = () => frame(drawScreen(phones.screen(udid)));
      const timer = setInterval(draw, FRAME_MS);
      draw();
      return () => clearInterval(timer);
    },
  };
}

/** Its udid, the clock and the session that runs on it, as JPEG. */
export function drawScreen({ udid, session, at }: ScreenContent): Uint8Array {
  const blocks: Block[] = new Array<Block>(COLUMNS * ROWS).fill(flat(BACKGROUND));
  const clock = new Date(at).toISOString();
  write(blocks, udid, 2);
  write(blocks, clock.slice(11, 19), 12, 3);
  write(blocks, `${clock.slice(0, 10)} UTC`, 16);
  write(blocks, session === null ? 'no session' : 'session', 26);
  if (session !== null) write(blocks, session, 28);
  // Two pictures a second that differ: whoever looks sees that it lives.
  const progress = 1 + Math.floor((at % 10_000) / FRAME_MS);
  blocks.fill(flat(BAR), (ROWS - 2) * COLUMNS, (ROWS - 2) * COLUMNS + progress);
  return jpegOf(blocks, COLUMNS);
}

/** Centred, `scale` blocks a character; by itself as large as fits, and cut where nothing does. */
function write(blocks: Block[], text: string, row: number, scale = text.length > COLUMNS / 2 ? 1 : 2): void {
  const characters = [...text].slice(0, Math.floor(COLUMNS / scale));
  const left = Math.floor((COLUMNS - characters.length * scale) / 2);
  characters.forEach((character, index) => {
    for (let part = 0; part < scale * scale; part++) {
      const x = left + index * scale + (part % scale);
      blocks[(row + Math.floor(part / scale)) * COLUMNS + x] = partOf(character, scale, part);
    }
  });
}

const kept = new Map<string, Block>();

/** As many as the font has characters, times their sizes. */
function keptBlock(name: string, pixel: (x: number, y: number) => number): Block {
  let block = kept.get(name);
  if (block === undefined) {
    block = blockOf(Array.from({ length: BLOCK * BLOCK }, (_, at) => pixel(at % BLOCK, at >> 3)));
    kept.set(name, block);
  }
  return block;
}

function flat(grey: number): Block {
  return keptBlock(`flat ${grey}`, () => grey);
}

/** One block of a character that is `scale` blocks wide and high. */
function partOf(character: string, scale: number, part: number): Block {
  const { name, has } = glyphOf(character);
  const left = (part % scale) * BLOCK;
  const top = Math.floor(part / scale) * BLOCK;
  return keptBlock(`${name} ${scale} ${part}`, (x, y) =>
    has(Math.floor((left + x) / scale), Math.floor((top + y) / scale)) ? TEXT : BACKGROUND,
  );
}
