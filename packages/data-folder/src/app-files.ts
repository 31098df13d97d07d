import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '@svc/auth-core';
import type { AppFiles, OpenFile, ReceivedFile } from '@svc/device-lab';
import { makeFolder } from '@svc/store-sqlite';

/** Pattern of the names that this class gives to its files. The class does not touch files with other names. */
const OUR_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.part)?$/;
const UNFINISHED = '.part';
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Stores the files of the app library in their own folder. A complete file has the id of its app as its name; an
 * incomplete one has a random name that ends in `.part`. No name from outside becomes part of a path, so no path can
 * leave the folder.
 */
export class AppFolder implements AppFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    makeFolder(folder);
    chmodSync(folder, 0o700);
  }

  async receive(content: AsyncIterable<Uint8Array>, take: (bytes: number) => void): Promise<ReceivedFile> {
    const path = join(this.#folder, `${randomUUID()}${UNFINISHED}`);
    try {
      const handle = await open(path, 'wx', 0o600);
      try {
        const written = await writeAll(handle, content, take);
        return this.#received(path, written);
      } finally {
        await handle.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw isNoSpace(error) ? new Refusal('disk_full', String(error)) : error;
    }
  }

  async open(id: string): Promise<OpenFile | undefined> {
    const path = this.#pathOf(id);
    if (path === undefined) return undefined;
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (handle === undefined) return undefined;
    const { size } = await handle.stat();
    return {
      size,
      read: () => handle.createReadStream({ autoClose: false }),
      close: () => handle.close(),
    };
  }

  async remove(id: string): Promise<void> {
    const path = this.#pathOf(id);
    if (path !== undefined) await rm(path, { force: true });
  }

  tidy(sizes: ReadonlyMap<string, number>): { removed: number; missing: readonly string[] } {
    const whole = new Set<string>();
    let removed = 0;
    for (const name of readdirSync(this.#folder)) {
      if (!OUR_NAME.test(name)) continue;
      const found = lstatSync(join(this.#folder, name));
      if (found.isFile() && found.size === sizes.get(name)) {
        whole.add(name);
        continue;
      }
      rmSync(join(this.#folder, name), { force: true, recursive: true });
      removed += 1;
    }
    return { removed, missing: [...sizes.keys()].filter((id) => !whole.has(id)) };
  }

  #received(path: string, { size, sha256 }: { size: number; sha256: string }): ReceivedFile {
    let place = path;
    return {
      size,
      sha256,
      keep: async (id) => {
        const target = this.#pathOf(id);
        if (target === undefined) throw new TypeError('not an id of an app');
        await rename(place, target);
        place = target;
        await this.#syncFolder();
      },
      discard: () => rm(place, { force: true }).catch(() => undefined),
    };
  }

  /** @returns the path of an app's file, or undefined if the id is not valid */
  #pathOf(id: string): string | undefined {
    return OUR_NAME.test(id) && !id.endsWith(UNFINISHED) ? join(this.#folder, id) : undefined;
  }

  /** Syncs the folder to the disk, so that new names in it survive a power failure. */
  async #syncFolder(): Promise<void> {
    const handle = await open(this.#folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function writeAll(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    take(chunk.length);
    size += chunk.length;
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return { size, sha256: hash.digest('hex') };
}

function isNoSpace(error: unknown): boolean {
  return NO_SPACE.has((error as NodeJS.ErrnoException | null)?.code ?? '');
}
