import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { RecordingStore } from '../src/storage/store.ts';
import type { StoredRecording, StoreOptions } from '../src/storage/stored.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function freshRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recordings-'));
  folders.push(folder);
  return join(folder, 'recordings');
}

export const NOON = Date.UTC(2030, 0, 1, 12);

/** A clock whose time the test sets. */
export class Clock {
  at = NOON;
  readonly now = () => this.at;
}

export const openStore = (options: Partial<StoreOptions> & { root: string; now: () => number }) =>
  new RecordingStore({
    recordingBytes: 1_000_000,
    allBytes: 10_000_000,
    isKept: () => true,
    failed: ({ error }) => {
      throw error;
    },
    warned: (_what, error) => {
      throw error;
    },
    ...options,
  });

/** @returns bytes that count as a JPEG, because only the first bytes are checked */
export function jpeg(content: number, length = 100): Uint8Array {
  const bytes = new Uint8Array(length).fill(content);
  bytes.set([0xff, 0xd8]);
  return bytes;
}

export const png = (content: number) =>
  Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Array<number>(16).fill(content)]);

export const NO_SCREENSHOT = async () => null;

export async function recorded(store: RecordingStore, session: string): Promise<StoredRecording> {
  const found = await store.find(session);
  if (found === undefined || !('index' in found)) throw new Error(`no recording: ${JSON.stringify(found)}`);
  return found;
}

/** @returns all pictures of a recording, read from its chunks */
export async function picturesOf(stored: StoredRecording) {
  const found = [];
  for (const { index, pictures } of stored.index.chunks) {
    if (pictures.length === 0) continue;
    for await (const picture of stored.chunk(index) ?? []) found.push(picture);
  }
  return found;
}
