import { pictureTypeOf } from './format.ts';
import type { LogRow, MarkKind } from './recording.ts';
import type { RecordingWriter } from './writer.ts';

/** At most 4 pictures a second (contract 11). */
const PICTURE_EVERY_MS = 250;
/** Marks of one session; each evidence may hold a picture of 8 MiB, which no other bound leaves out. */
const MOST_MARKS = 1_000;
const LONGEST_LINE = 1_024;
const LINES_EVERY_MS = 1_000;
/** Rows of the device log in `LINES_EVERY_MS`; further ones are left out. */
const MOST_LINES = 2_000;

/** Whether something was kept, and if not, why. */
export type Kept = { readonly kept: true } | { readonly kept: false; readonly why: string };

/** What was left out, by reason. */
export interface DropCounts {
  /** The recording has as many bytes as it may have. */
  recording: number;
  /** All recordings together have. */
  total: number;
  /** The disk was too slow. */
  disk: number;
  /** Rows of the device log beyond its rate. */
  lines: number;
}

interface LiveOptions {
  readonly writer: RecordingWriter;
  readonly now: () => number;
  /** Maximum bytes of its pictures, besides those of failures and evidence. */
  readonly maxBytes: number;
  /** Whether all recordings together leave room for another picture. */
  readonly hasRoom: () => boolean;
  readonly dropped: DropCounts;
  /** Takes a picture through the driver, for a phone without a preview; null if there is none in time. */
  readonly screenshot: () => Promise<Uint8Array | null>;
}

/** The recording of a running session: which pictures are kept, and when. */
export class LiveRecording {
  readonly writer: RecordingWriter;
  readonly #options: LiveOptions;
  /** What the preview showed last; undefined if it shows nothing now. */
  #latest: Uint8Array | undefined;
  #stored: Uint8Array | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;
  /** Time of the newest record. */
  #lastAt: number;
  /** Added to the clock, so that times never go back when it does. */
  #aheadMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #lines: Omit<LogRow, 'seq'>[] = [];
  #linesTimer: NodeJS.Timeout | undefined;
  #isPaused = false;
  #isOver = false;
  #marks = 0;
  #screenshot: Promise<Uint8Array | null> | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.writer = options.writer;
    this.#lastAt = options.writer.index.startedAt;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** A picture of the preview, which is never changed afterwards. */
  frame(picture: Uint8Array): void {
    this.#latest = picture;
    if (!this.#isPaused) this.#take();
  }

  /** The preview shows nothing any more. */
  frameEnded(): void {
    this.#latest = undefined;
  }

  /** A row of the device log. */
  line(text: string): void {
    if (this.#isPaused || !this.#accepts) return;
    if (this.#lines.length >= MOST_LINES) {
      this.#options.dropped.lines += 1;
      return;
    }
    const line = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text;
    this.#lines.push({ at: this.#now(), line });
    this.#linesTimer ??= setTimeout(() => this.#writeLines(), LINES_EVERY_MS).unref();
  }

  /** Keeps a picture of this moment. Resolves when it is written. */
  async evidence(label: string | null): Promise<Kept> {
    return await this.#keep('evidence', label);
  }

  /** The session counts as failed from now on. Resolves when the mark and its picture are written. */
  async failure(label: string | null): Promise<Kept> {
    return await this.#keep('failure', label);
  }

  /** Marks the end of a session that failed; no picture is taken, because its driver may be gone. */
  failedAtEnd(label: string): void {
    this.#mark('failure', label);
  }

  pause(): Kept {
    if (!this.#accepts) return this.#refusal();
    if (!this.#isPaused) {
      this.#writeLines();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#mark('paused', null);
    }
    this.#isPaused = true;
    return KEPT;
  }

  resume(): Kept {
    if (!this.#accepts) return this.#refusal();
    if (!this.#isPaused) return KEPT;
    this.#isPaused = false;
    this.#mark('resumed', null);
    if (this.#latest !== undefined) this.#take();
    return KEPT;
  }

  /** Writes the rows that wait, so that a reader gets them. */
  async flush(): Promise<void> {
    this.#writeLines();
    await this.writer.flush();
  }

  /** Nothing is kept from now on. */
  end(): void {
    this.#writeLines();
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#latest = undefined;
    this.#stored = undefined;
  }

  get #accepts(): boolean {
    return !this.#isOver && !this.writer.hasFailed;
  }

  /** Stores the latest picture if it differs from the last one, now or as soon as another one may be stored. */
  #take(): void {
    const picture = this.#latest;
    if (picture === undefined || !this.#accepts || this.#isPaused) return;
    if (this.#stored !== undefined && Buffer.compare(this.#stored, picture) === 0) return;
    const waitMs = this.#storedAt + PICTURE_EVERY_MS - this.#now();
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#take();
      }, waitMs).unref();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reason = this.#reasonToDrop(picture);
    if (reason === null) this.#store(picture);
    else this.#options.dropped[reason] += 1;
  }

  #reasonToDrop({ length }: Uint8Array): 'recording' | 'total' | 'disk' | null {
    const { maxBytes, hasRoom } = this.#options;
    if (this.writer.bytes + length > maxBytes) return 'recording';
    if (!hasRoom()) return 'total';
    return this.writer.keepsUp ? null : 'disk';
  }

  #store(picture: Uint8Array): boolean {
    const type = pictureTypeOf(picture);
    if (type === null) return false;
    this.#stored = picture;
    this.#storedAt = this.#now();
    this.writer.picture(this.#storedAt, type, picture);
    return true;
  }

  async #keep(kind: 'failure' | 'evidence', label: string | null): Promise<Kept> {
    if (!this.#accepts) return this.#refusal();
    if (this.#marks >= MOST_MARKS) return refused(`a recording has at most ${MOST_MARKS} marks`);
    if (this.#isPaused) {
      if (kind === 'failure') this.#mark(kind, label);
      return refused('the recording is paused');
    }
    const picture = this.#latest ?? (await this.#takeScreenshot());
    // It may have been paused, or the session have ended, while the driver took the picture.
    if (!this.#accepts || this.#isPaused) return this.#refusal();
    const isKept = picture !== null && this.#store(picture);
    if (isKept) this.#mark(kind, label, this.#storedAt);
    else if (kind === 'failure') this.#mark(kind, label);
    await this.writer.flush();
    if (this.writer.hasFailed) return this.#refusal();
    return isKept ? KEPT : refused('the phone has no preview and its driver took no picture');
  }

  /** One at a time: requests that arrive meanwhile share the picture. */
  async #takeScreenshot(): Promise<Uint8Array | null> {
    this.#screenshot ??= this.#options.screenshot().finally(() => {
      this.#screenshot = undefined;
    });
    return await this.#screenshot;
  }

  #mark(kind: MarkKind, label: string | null, at = this.#now()): void {
    // A recording that has all its marks can still be paused; the last two marks are for that.
    if (!this.#accepts || this.#marks >= MOST_MARKS + (kind === 'paused' ? 2 : 1)) return;
    this.#marks += 1;
    this.writer.mark({ at, kind, ...(label === null ? {} : { label }) });
  }

  #writeLines(): void {
    clearTimeout(this.#linesTimer);
    this.#linesTimer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0 || !this.#accepts) return;
    if (this.writer.keepsUp) this.writer.lines(lines);
    else this.#options.dropped.lines += lines.length;
  }

  #now(): number {
    const now = this.#options.now();
    this.#aheadMs = Math.max(this.#aheadMs, this.#lastAt - now);
    this.#lastAt = now + this.#aheadMs;
    return this.#lastAt;
  }

  #refusal(): Kept {
    if (this.writer.hasFailed) return refused('the recording could not be written and has stopped');
    return refused(this.#isPaused ? 'the recording is paused' : 'the session is over');
  }
}

const KEPT: Kept = { kept: true };

function refused(why: string): Kept {
  return { kept: false, why };
}
