import { pictureType } from '@svc/contract';
import type { LogRow, MarkKind } from './recording.ts';
import type { RecordingWriter } from './writer.ts';

/** Minimum time between two pictures, which allows 4 pictures a second (contract 11). */
const PICTURE_EVERY_MS = 250;
/**
 * Maximum number of marks (moments such as failures) in one recording. A mark can add a picture of 8 MiB even if the
 * recording has reached `maxBytes`. Without this limit, a client could fill the disk with marks.
 */
const MOST_MARKS = 1_000;
const LONGEST_LINE = 1_024;
const LINES_EVERY_MS = 1_000;
/** Maximum number of rows of the device log that are accepted per `LINES_EVERY_MS`. Further rows are dropped. */
const MOST_LINES = 2_000;

/** Result of an action on a recording: whether something was recorded, and if not, why. */
export type Kept = { readonly kept: true } | { readonly kept: false; readonly why: string };

/** Numbers of pictures and rows that were dropped, by reason. */
export interface DropCounts {
  /** Pictures dropped because the recording has reached its maximum size. */
  recording: number;
  /** Pictures dropped because all recordings together have reached their maximum size. */
  total: number;
  /** Pictures dropped because the disk was too slow. */
  disk: number;
  /** Rows of the device log dropped because too many arrived or the disk was too slow. */
  lines: number;
}

interface LiveOptions {
  readonly writer: RecordingWriter;
  readonly now: () => number;
  /**
   * Maximum bytes of the pictures of this recording. Pictures of failures and evidence are stored even beyond this
   * limit.
   */
  readonly maxBytes: number;
  /** Returns whether all recordings together are smaller than their limit, so that another picture can be stored. */
  readonly hasRoom: () => boolean;
  readonly dropped: DropCounts;
  /**
   * Takes a picture through the driver. Used for phones without a preview, which have no other source of pictures.
   * Resolves to null if the driver returns no picture in time.
   */
  readonly screenshot: () => Promise<Uint8Array | null>;
}

/** Recording of a running session. This class decides which pictures are stored, and when. */
export class LiveRecording {
  readonly writer: RecordingWriter;
  readonly #options: LiveOptions;
  /** Picture that the preview showed last, or undefined if the preview shows nothing now. */
  #latest: Uint8Array | undefined;
  /** Whether the screen still shows the latest picture. If so, evidence uses this picture instead of a screenshot. */
  #isCurrent = false;
  /** True until `sample` has ignored the first picture after a pause, which may show the screen during the pause. */
  #mayShowPause = false;
  #stored: Uint8Array | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;
  /** Time of the newest record, in ms since 1970. */
  #lastAt: number;
  /**
   * Milliseconds that are added to the clock, so that the times of records never decrease when the clock is set back.
   */
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

  /** Adds a picture from a preview that streams. The caller must not change its bytes afterwards. */
  frame(picture: Uint8Array): void {
    this.#latest = picture;
    this.#isCurrent = true;
    if (!this.#isPaused) this.#take();
  }

  /**
   * Adds a picture from a preview that takes single pictures at a low rate. Evidence uses such a picture only if the
   * driver takes no screenshot, because the screen may have changed since. The first picture after a pause is ignored,
   * because it may show the screen during the pause.
   */
  sample(picture: Uint8Array): void {
    if (this.#isPaused) return;
    if (this.#mayShowPause) {
      this.#mayShowPause = false;
      return;
    }
    this.#latest = picture;
    this.#isCurrent = false;
    this.#take();
  }

  /** Forgets the latest picture, because the preview has ended. */
  frameEnded(): void {
    this.#latest = undefined;
  }

  /** Adds a row of the device log. Rows are written together, about once a second. */
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

  /** Stores a picture of the current screen as evidence. Resolves when it is written. */
  async evidence(label: string | null): Promise<Kept> {
    return await this.#keep('evidence', label);
  }

  /**
   * Marks the current moment as the failure of the session, with a picture. Resolves when mark and picture are written.
   */
  async failure(label: string | null): Promise<Kept> {
    return await this.#keep('failure', label);
  }

  /** Marks the end of a failed session, without a picture: the driver may no longer be able to take a screenshot. */
  failedAtEnd(label: string): void {
    this.#mark('failure', label);
  }

  pause(): Kept {
    if (!this.#accepts) return this.#refusal();
    if (!this.#isPaused) {
      this.#writeLines();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (!this.#isCurrent) this.#latest = undefined;
      this.#mayShowPause = true;
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

  /** Writes the rows that wait in memory, so that a reader gets them. */
  async flush(): Promise<void> {
    this.#writeLines();
    await this.writer.flush();
  }

  /** Ends the recording, so that pictures, rows and marks are ignored from now on. */
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

  /**
   * Stores the latest picture if it differs from the last stored one. If the last one was stored too recently, a timer
   * stores the picture later.
   */
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
    const type = pictureType(picture);
    if (type === undefined) return false;
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
    const picture = this.#currentPicture ?? (await this.#takeScreenshot()) ?? this.#latest ?? null;
    // Check again, because the recording may have been paused or ended while the driver took the picture.
    if (!this.#accepts || this.#isPaused) return this.#refusal();
    const isKept = picture !== null && this.#store(picture);
    if (isKept) this.#mark(kind, label, this.#storedAt);
    else if (kind === 'failure') this.#mark(kind, label);
    await this.writer.flush();
    if (this.writer.hasFailed) return this.#refusal();
    return isKept ? KEPT : refused('the phone has no preview and its driver took no picture');
  }

  get #currentPicture(): Uint8Array | undefined {
    return this.#isCurrent ? this.#latest : undefined;
  }

  /** Takes a screenshot through the driver. Only one is taken at a time, so concurrent callers get the same picture. */
  async #takeScreenshot(): Promise<Uint8Array | null> {
    this.#screenshot ??= this.#options.screenshot().finally(() => {
      this.#screenshot = undefined;
    });
    return await this.#screenshot;
  }

  #mark(kind: MarkKind, label: string | null, at = this.#now()): void {
    // A mark `resumed` may exceed the limit by one, in case the last mark within the limit is `paused`. Without the
    // mark `resumed`, all later pictures would count as taken during that pause and would be hidden.
    if (!this.#accepts || this.#marks >= MOST_MARKS + (kind === 'resumed' ? 2 : 1)) return;
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

  /** Returns the time for the next record in ms since 1970. The time never decreases, even if the clock is set back. */
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
