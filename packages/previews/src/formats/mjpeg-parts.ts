import { LARGEST_PICTURE, pictureType } from '@svc/contract';

/** Limits of what an MJPEG source may send, in bytes. */
const MJPEG_BOUNDS = { header: 8 * 1024, frame: LARGEST_PICTURE } as const;

/** Thrown if the source sends something other than MJPEG, or exceeds the limits. */
export class NotMjpeg extends Error {}

const EMPTY = new Uint8Array(0);
/** Bytes that are first reserved for a part whose length is unknown. */
const UNKNOWN_LENGTH_BYTES = 64 * 1024;

const CR = 13;
const LF = 10;
const LENGTH = /^content-length:[ \t]*(\d{1,9})[ \t]*$/im;

/**
 * Parses a `multipart/x-mixed-replace` body as it arrives, and reports each picture. A part ends after the number of
 * bytes in its `Content-Length` header. Without this header, the part must be a JPEG and ends at the JPEG's end marker.
 * At most one part is in memory. Only JPEG and PNG are accepted, so that the address of a stream cannot be used to read
 * other content through this server.
 */
export class MjpegParts {
  readonly #report: (picture: Uint8Array) => void;
  #header: Uint8Array = EMPTY;
  /** Body of the current part, or undefined while the header of the part is read. */
  #body: Uint8Array | undefined;
  #filled = 0;
  /**
   * Length (bytes) of the current part, or null if its header contains no length. In this case, the part ends at the
   * end marker of its JPEG.
   */
  #length: number | null = null;

  constructor(report: (picture: Uint8Array) => void) {
    this.#report = report;
  }

  /**
   * Adds bytes of the body. They must not change afterwards, because a picture that arrives in one chunk is not copied.
   * Throws `NotMjpeg` if they are not MJPEG. Do not add more bytes after an error.
   */
  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#body === undefined ? this.#takeHeader(rest) : this.#takeBody(rest);
  }

  /**
   * Reads the header of a part, including the boundary line before it.
   * @returns the bytes of `chunk` after the header
   */
  #takeHeader(chunk: Uint8Array): Uint8Array {
    const before = this.#header.length;
    if (before === 0 && isLineEnd(chunk[0])) return chunk.subarray(firstOther(chunk));
    const added = chunk.subarray(0, MJPEG_BOUNDS.header - before);
    const joined = before === 0 ? added : concat(this.#header, added);
    const end = headerEnd(joined);
    if (end < 0) {
      if (joined.length >= MJPEG_BOUNDS.header) throw new NotMjpeg('the header of a part is too long');
      this.#header = before === 0 ? joined.slice() : joined;
      return chunk.subarray(joined.length - before);
    }
    this.#header = EMPTY;
    const length = LENGTH.exec(latin1(joined.subarray(0, end)))?.[1];
    this.#length = length === undefined ? null : Number(length);
    if (this.#length !== null && this.#length > MJPEG_BOUNDS.frame)
      throw new NotMjpeg('a frame is too large');
    if (this.#length !== 0) this.#body = EMPTY;
    this.#filled = 0;
    return chunk.subarray(end + 4 - before);
  }

  #takeBody(chunk: Uint8Array): Uint8Array {
    if (this.#length === null) return this.#takeUntilMarker(chunk);
    const taken = chunk.subarray(0, this.#length - this.#filled);
    if (taken.length < this.#length) this.#append(taken);
    else [this.#body, this.#filled] = [taken, taken.length];
    if (this.#filled === this.#length) this.#complete();
    return chunk.subarray(taken.length);
  }

  #takeUntilMarker(chunk: Uint8Array): Uint8Array {
    const before = this.#filled;
    this.#append(chunk);
    const body = this.#body as Uint8Array;
    for (let at = Math.max(2, before - 1); at + 1 < this.#filled; at++) {
      if (body[at] !== 0xff || body[at + 1] !== 0xd9) continue;
      this.#filled = at + 2;
      this.#complete();
      return chunk.subarray(at + 2 - before);
    }
    return chunk.subarray(chunk.length);
  }

  #append(bytes: Uint8Array): void {
    let body = this.#body as Uint8Array;
    const filled = this.#filled + bytes.length;
    if (filled > MJPEG_BOUNDS.frame) throw new NotMjpeg('a frame is too large');
    if (filled > body.length) {
      const wanted = this.#length ?? Math.max(filled, body.length * 2, UNKNOWN_LENGTH_BYTES);
      const larger = new Uint8Array(Math.min(MJPEG_BOUNDS.frame, wanted));
      larger.set(body.subarray(0, this.#filled));
      body = larger;
    }
    body.set(bytes, this.#filled);
    this.#body = body;
    this.#filled = filled;
    if (filled >= 2 && !this.#mayBePicture(body)) throw new NotMjpeg('a part is not a picture');
  }

  #complete(): void {
    const picture = (this.#body as Uint8Array).subarray(0, this.#filled);
    this.#body = undefined;
    if (picture.length < 4 || pictureType(picture) === undefined)
      throw new NotMjpeg('a part is not a picture');
    this.#report(picture);
  }

  #mayBePicture([first, second]: Uint8Array): boolean {
    const isPng = first === 0x89 && second === 0x50;
    return (first === 0xff && second === 0xd8) || (isPng && this.#length !== null);
  }
}

/** @returns the index of the first byte that is neither CR nor LF. Line ends at the start only separate two parts. */
function firstOther(bytes: Uint8Array): number {
  let at = 0;
  while (isLineEnd(bytes[at])) at++;
  return at;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}

/** @returns the index at which the empty line after the header begins, or -1 if it has not arrived yet */
function headerEnd(bytes: Uint8Array): number {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] === CR && bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at;
  }
  return -1;
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
