import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

type StoreProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a process that uses the built store, which exists because `pnpm test` builds before it tests. */
export function startStore(what: string, file: string, argument = ''): StoreProcess {
  const script = fileURLToPath(new URL('./store.mjs', import.meta.url));
  return spawn(process.execPath, [script, what, file, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Waits until the process ends, and throws if it failed. */
export async function finished(child: StoreProcess): Promise<void> {
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`The store process ended with ${code ?? signal}: ${complaint}`);
}
