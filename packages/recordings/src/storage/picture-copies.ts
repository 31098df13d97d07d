/** Bytes of a block, which is enough for the pictures that a recording usually writes together. */
const BLOCK_BYTES = 256 * 1024;
/** One block is filled while the pictures of the other one are written. */
const MOST_BLOCKS = 2;

/**
 * Copies the waiting pictures of one recording into memory that is used again after they have been written. Without the
 * copies, each picture would wait in a buffer of its own. V8 frees a buffer that has waited only by a full garbage
 * collection, which delays the requests of other users.
 */
export class PictureCopies {
  readonly #free: Uint8Array[] = [];
  #made = 0;
  #block: Uint8Array | undefined;
  #filled = 0;

  /** @returns a copy of the picture, or the picture itself if there is no room */
  copy(picture: Uint8Array): Uint8Array {
    this.#block ??= this.#nextBlock();
    const end = this.#filled + picture.length;
    if (this.#block === undefined || end > BLOCK_BYTES) return picture;
    const copy = this.#block.subarray(this.#filled, end);
    copy.set(picture);
    this.#filled = end;
    return copy;
  }

  /**
   * Begins a new block, so that the copies made so far stay unchanged.
   * @returns a function to call when these copies are no longer needed
   */
  endBlock(): () => void {
    const block = this.#block;
    this.#block = undefined;
    this.#filled = 0;
    return () => {
      if (block !== undefined) this.#free.push(block);
    };
  }

  #nextBlock(): Uint8Array | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#made === MOST_BLOCKS) return free;
    this.#made += 1;
    return new Uint8Array(BLOCK_BYTES);
  }
}
