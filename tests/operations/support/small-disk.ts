import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { freshDataDir } from '../../support/lab.ts';

/** Mounts the file system, prints a line and waits. The namespace and the disk disappear when it ends. */
const HOLD = 'mount -t tmpfs -o size="$1",mode=700 tmpfs "$0" && echo mounted && exec cat';

/** A file system of a few MiB for the processes in its namespace; the test sees it through `/proc`. */
export class SmallDisk {
  /** Path of the disk for processes in the namespace. */
  readonly folder: string;
  /** Prefix of commands that run in the namespace. */
  readonly enter: readonly string[];
  /** Path of the disk for the test. */
  readonly seen: string;
  readonly #holder: ChildProcess;

  private constructor(folder: string, holder: ChildProcess) {
    this.folder = folder;
    this.#holder = holder;
    this.enter = ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials'];
    this.seen = `/proc/${holder.pid}/root${folder}`;
  }

  static async mount(kib: number): Promise<SmallDisk> {
    const folder = freshDataDir();
    const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', HOLD, folder, `${kib}k`];
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let problem = '';
    holder.stderr?.setEncoding('utf8').on('data', (text: string) => {
      problem += text;
    });
    const mounted = once(holder.stdout as NodeJS.ReadableStream, 'data').then(() => true);
    const ended = once(holder, 'close').then(() => false);
    if (!(await Promise.race([mounted, ended])))
      throw new Error(`no file system of its own for this test (needs user namespaces): ${problem}`);
    return new SmallDisk(folder, holder);
  }

  /** Fills the disk completely. */
  fill(): void {
    const file = openSync(join(this.seen, 'filler'), 'a');
    try {
      for (const bytes of [65_536, 4_096, 1])
        for (const block = Buffer.alloc(bytes); ; ) if (!wasWritten(file, block)) break;
    } finally {
      closeSync(file);
    }
  }

  /** Fills the disk except for `kib`. */
  fillBut(kib: number): void {
    const { bsize, bavail } = statfsSync(this.seen);
    const file = openSync(join(this.seen, 'filler'), 'a');
    try {
      writeSync(file, Buffer.alloc(Math.max(0, bavail * bsize - kib * 1024)));
    } finally {
      closeSync(file);
    }
  }

  makeRoom(): void {
    rmSync(join(this.seen, 'filler'), { force: true });
  }

  async unmount(): Promise<void> {
    const gone = once(this.#holder, 'close');
    this.#holder.stdin?.end();
    await gone;
  }
}

function wasWritten(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
