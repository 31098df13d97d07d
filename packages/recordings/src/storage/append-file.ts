import { type FileHandle, open } from 'node:fs/promises';
import { FILE_HEAD } from './format.ts';
import { FILE_MODE } from './places.ts';

/** A file to which records are only appended. If a write fails, the file is cut back to its previous length. */
export class AppendFile {
  readonly #handle: FileHandle;
  #size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<AppendFile> {
    const file = new AppendFile(await open(path, 'wx', FILE_MODE));
    await file.append(FILE_HEAD);
    return file;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends buffers in the given order, usually with one write.
   * @returns the offset in the file at which the first buffer begins
   */
  async append(...buffers: readonly Uint8Array[]): Promise<number> {
    const offset = this.#size;
    let end = offset;
    try {
      for (let rest = buffers; rest.length > 0; ) {
        const { bytesWritten } = await this.#handle.writev(rest, end);
        end += bytesWritten;
        rest = after(rest, bytesWritten);
      }
    } catch (error) {
      await this.#handle.truncate(offset).catch(() => undefined);
      throw error;
    }
    this.#size = end;
    return offset;
  }

  /** Closes the file after its content has been written to the disk. */
  async finish(): Promise<void> {
    try {
      await this.#handle.datasync();
    } finally {
      await this.#handle.close();
    }
  }
}

/** @returns the buffers without the first `bytes` bytes of their joint content, and without empty buffers */
function after(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return buffers.flatMap((buffer) => {
    const rest = buffer.subarray(Math.min(skipped, buffer.length));
    skipped -= buffer.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}
