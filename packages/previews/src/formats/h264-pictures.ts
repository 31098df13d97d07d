/** One picture of an H.264 stream. The bytes are whole NAL units after start codes (Annex B of ITU-T H.264). */
export interface VideoPicture {
  readonly bytes: Uint8Array;
  /** Whether a decoder can start with this picture. If so, its parameter sets are included. */
  readonly isKey: boolean;
}

/** Thrown if the bytes are not an H.264 stream, or exceed a limit. */
export class NotH264 extends Error {}

const LIMITS = { picture: 8 * 1024 * 1024, slices: 1_024, set: 4_096, pictureSets: 16 } as const;
/** Memory (bytes) of the object that represents a slice. Without it, a picture of tiny slices would seem small. */
const BYTES_OF_SLICE = 64;

/**
 * NAL units are the units of an H.264 stream. Units with a type from 1 to `LAST_SLICE` are parts of a picture (ITU-T
 * H.264, table 7-1).
 */
const LAST_SLICE = 5;
const KEY_SLICE = 5;
const EXTRA_INFORMATION = 6;
const SEQUENCE_SET = 7;
const PICTURE_SET = 8;
const DELIMITER = 9;

const START = Buffer.from([0, 0, 1]);
const FULL_START = Buffer.from([0, 0, 0, 1]);
const NOTHING = Buffer.alloc(0);

/**
 * Splits the byte stream of an encoder into pictures. A NAL unit ends where the next one starts, so the last picture is
 * incomplete until more bytes arrive. If the encoder pauses, the caller must therefore call `flush` to get this
 * picture. Holds at most one picture and its parameter sets in memory.
 */
export class H264Pictures {
  readonly #report: (picture: VideoPicture) => void;
  /**
   * Bytes after the last start code, or all bytes if no start code has arrived. Only the first `#filled` bytes are used,
   * because the buffer doubles when it is full: to copy it for every chunk would take quadratic time.
   */
  #pending: Buffer = NOTHING;
  #filled = 0;
  #scanned = 0;
  #isInUnit = false;
  #sequenceSet: Buffer | undefined;
  #pictureSets: Buffer[] = [];
  #slices: Buffer[] = [];
  #size = 0;

  constructor(report: (picture: VideoPicture) => void) {
    this.#report = report;
  }

  /**
   * Adds bytes of the stream. Throws `NotH264` if the bytes cannot be part of an H.264 stream. After an error, the
   * caller must add no more bytes.
   */
  push(chunk: Uint8Array): void {
    const bytes = this.#append(chunk);
    let begin = 0;
    for (let at = bytes.indexOf(START, this.#scanned); at !== -1; at = bytes.indexOf(START, begin)) {
      this.#endUnit(bytes.subarray(begin, at));
      this.#isInUnit = true;
      begin = at + START.length;
    }
    const rest = bytes.subarray(begin);
    if (begin > 0) this.#hold(Buffer.from(rest));
    this.#scanned = Math.max(0, rest.length - START.length + 1);
    if (this.#size + rest.length > LIMITS.picture) throw new NotH264('a picture is too large');
    if (!this.#isInUnit) refuseContent(rest);
  }

  /** Reports the last picture, for which no further bytes are expected. */
  flush(): void {
    if (!this.#isInUnit || this.#filled < 2) return;
    this.#endUnit(this.#pending.subarray(0, this.#filled));
    this.#hold(NOTHING);
    this.#scanned = 0;
    this.#isInUnit = false;
    this.#endPicture();
  }

  /** @returns the pending bytes including `chunk` */
  #append(chunk: Uint8Array): Buffer {
    const filled = this.#filled + chunk.length;
    if (filled > this.#pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(filled, this.#pending.length * 2));
      this.#pending.copy(larger, 0, 0, this.#filled);
      this.#pending = larger;
    }
    this.#pending.set(chunk, this.#filled);
    this.#filled = filled;
    return this.#pending.subarray(0, filled);
  }

  #hold(bytes: Buffer): void {
    this.#pending = bytes;
    this.#filled = bytes.length;
  }

  #endUnit(bytes: Buffer): void {
    if (!this.#isInUnit) {
      refuseContent(bytes);
      return;
    }
    // Remove trailing zeros. They are part of the next start code, because no NAL unit ends with a zero.
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end -= 1;
    if (end > 0) this.#take(bytes.subarray(0, end));
  }

  #take(unit: Buffer): void {
    const type = (unit[0] ?? 0) & 0x1f;
    if (type >= 1 && type <= LAST_SLICE) {
      if (beginsPicture(unit)) this.#endPicture();
      if (this.#slices.length >= LIMITS.slices) throw new NotH264('a picture has too many slices');
      // A copy, because a view would keep all bytes that were pending in memory, which may be 8 MiB for each slice.
      this.#slices.push(Buffer.from(unit));
      this.#size += unit.length + BYTES_OF_SLICE;
      return;
    }
    if (![EXTRA_INFORMATION, SEQUENCE_SET, PICTURE_SET, DELIMITER].includes(type)) return;
    this.#endPicture();
    if (type === SEQUENCE_SET) {
      this.#sequenceSet = parameterSet(unit);
      this.#pictureSets = [];
    } else if (type === PICTURE_SET) {
      this.#pictureSets = [...this.#pictureSets, parameterSet(unit)].slice(-LIMITS.pictureSets);
    }
  }

  #endPicture(): void {
    const slices = this.#slices;
    this.#slices = [];
    this.#size = 0;
    // Skip pictures that arrive before a parameter set, because a decoder cannot decode them without it.
    if (slices.length === 0 || this.#sequenceSet === undefined) return;
    const isKey = slices.some((slice) => ((slice[0] ?? 0) & 0x1f) === KEY_SLICE);
    const units = isKey ? [this.#sequenceSet, ...this.#pictureSets, ...slices] : slices;
    this.#report({ bytes: Buffer.concat(units.flatMap((unit) => [FULL_START, unit])), isKey });
  }
}

/**
 * Returns whether a slice is the first of its picture. If so, its field `first_mb_in_slice` is 0, and the Exp-Golomb
 * code of 0 is a single set bit.
 */
function beginsPicture(slice: Buffer): boolean {
  return ((slice[1] ?? 0) & 0x80) !== 0;
}

/** @returns a copy of a parameter set, because a view would keep the whole received chunk in memory */
function parameterSet(unit: Buffer): Buffer {
  if (unit.length > LIMITS.set) throw new NotH264('a parameter set is too large');
  return Buffer.from(unit);
}

/**
 * Throws `NotH264` if bytes outside a NAL unit are not zero. Such bytes mean that the stream is not H.264, or that
 * `flush` was called in the middle of a picture.
 */
function refuseContent(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw new NotH264('bytes outside a NAL unit');
}
