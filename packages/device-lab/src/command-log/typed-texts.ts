import { REDACTED } from '@svc/auth-core';
import { LOG_BOUNDS } from './entry.ts';

/** Shorter texts would match everywhere. */
const SHORTEST = 4;
const MOST = 64;

/** What was typed in one session, to be masked wherever the device shows it again. */
export class TypedTexts {
  /** The newest last. */
  #texts: readonly string[] = [];
  /** The longest first, so that a text is not masked only as far as a shorter one goes. */
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
