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
   * Appends bytes.
   * @returns the offset in the file at which these bytes begin
   */
  async append(bytes: Buffer): Promise<number> {
    const offset = this.#size;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    } catch (error) {
      await this.#handle.truncate(offset).catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
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
