import { REDACTED } from '@svc/auth-core';
import { LOG_BOUNDS } from './entry.ts';

/** Texts shorter than this would match everywhere. */
const SHORTEST = 4;
const MOST = 64;

/** Texts that were typed in one session. They are masked wherever the device shows them again. */
export class TypedTexts {
  /** Oldest first. */
  #texts: readonly string[] = [];
  /** Longest first, so that a shorter text does not mask only a part of a longer one. */
  #longest: readonly string[] = [];

  add(text: string): void {
    const plain = text.trim();
    if (plain.length < SHORTEST || plain.length > LOG_BOUNDS.bytesSeen) return;
    if (this.#texts.includes(plain)) return;
    this.#texts = [...this.#texts, plain].slice(-MOST);
    this.#longest = [...this.#texts].sort((a, b) => b.length - a.length);
  }

  mask(text: string): string {
    let masked = text;
    for (const typed of this.#longest)
      if (masked.includes(typed)) masked = masked.replaceAll(typed, REDACTED);
    return masked;
  }

  has(text: string): boolean {
    return this.#texts.includes(text);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }
}
