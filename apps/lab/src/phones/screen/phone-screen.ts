import { toJpeg, toPng } from './encode-picture.ts';
import { toH264 } from './h264.ts';
import { drawPhone, type ScreenContent } from './phone-picture.ts';

/** Interval (ms) at which open streams look for changes that were not announced with `changed`, such as the clock. */
const TICK_MS = 1_000;

const ENCODERS = { png: toPng, jpeg: toJpeg } as const;

/** The screen of a scripted phone: single pictures, and streams that get a picture for each change. */
export class PhoneScreen {
  readonly #content: () => ScreenContent;
  readonly #watchers = new Set<() => void>();
  readonly #last = new Map<keyof typeof ENCODERS, { readonly key: string; readonly bytes: Buffer }>();
  #pictures = 0;

  constructor(content: () => ScreenContent) {
    this.#content = content;
  }

  picture(format: keyof typeof ENCODERS): Buffer {
    const content = this.#content();
    const key = JSON.stringify(content);
    const last = this.#last.get(format);
    if (last?.key === key) return last.bytes;
    const bytes = ENCODERS[format](drawPhone(content));
    this.#last.set(format, { key, bytes });
    return bytes;
  }

  /** Encodes the screen as one H.264 picture. */
  videoPicture(): Buffer {
    this.#pictures += 1;
    return toH264(drawPhone(this.#content()), this.#pictures);
  }

  /** Calls `look` now, after each change and once a second. @returns a function that stops this */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    const timer = setInterval(look, TICK_MS);
    look();
    return () => {
      clearInterval(timer);
      this.#watchers.delete(look);
    };
  }

  changed(): void {
    for (const look of this.#watchers) look();
  }
}
