import { REDACTED } from '../capabilities/redacted.ts';
import { LOG_BOUNDS } from './entry.ts';

/** Minimum length of a typed text that is masked. A shorter text would match too much other text. */
const SHORTEST = 4;
const MOST = 64;

/**
 * Texts that were typed in one session. They are masked wherever the device shows them again, because they may be
 * passwords.
 */
export class TypedTexts {
  /** Typed texts, oldest first, so that the oldest is forgotten first. */
  #texts: readonly string[] = [];
  /** Typed texts, longest first, so that a shorter text does not mask only a part of a longer one. */
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
