import { setTimeout as after } from 'node:timers/promises';
import WebSocket from 'ws';

/** Functions of this repository that ran, by `<file> <start>-<end>` of their compiled code, with their names. */
export type Ran = ReadonlyMap<string, string>;

/** Counts the functions that run in another process, by the coverage that V8 measures. */
export interface Coverage {
  /** Forgets what ran until now. */
  reset(): Promise<void>;
  /** @returns the functions that have run since the last call of this method or `reset` */
  take(): Promise<Ran>;
  close(): void;
}

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

/** Code of svc. The code of the local lab is left out, because it plays phones and drivers. */
const OF_SVC = /\/((?:packages|apps)\/(?!lab\/)[\w-]+\/dist\/.*\.js)$/;
const START_MS = 10_000;

/** Connects to the inspector of a process that was started with `--inspect=127.0.0.1:<port>`. */
export async function coverageOf(port: number): Promise<Coverage> {
  const socket = new WebSocket(await addressOf(port));
  await new Promise((done, failed) => {
    socket.once('open', done);
    socket.once('error', failed);
  });
  let last = 0;
  const post = (method: string, params: object = {}) =>
    new Promise<{ result: readonly ScriptCoverage[] }>((done) => {
      const id = ++last;
      const heard = (text: Buffer) => {
        const message = JSON.parse(String(text));
        if (message.id !== id) return;
        socket.off('message', heard);
        done(message.result);
      };
      socket.on('message', heard);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const take = async () => ranIn((await post('Profiler.takePreciseCoverage')).result);
  return { reset: async () => void (await take()), take, close: () => socket.close() };
}

async function addressOf(port: number): Promise<string> {
  for (const end = performance.now() + START_MS; ; await after(50)) {
    const found = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined);
    if (found !== undefined) {
      const [target] = (await found.json()) as { webSocketDebuggerUrl: string }[];
      if (target !== undefined) return target.webSocketDebuggerUrl;
    }
    if (performance.now() > end) throw new Error('the inspector did not start');
  }
}

function ranIn(scripts: readonly ScriptCoverage[]): Ran {
  const ran = new Map<string, string>();
  for (const { url, functions } of scripts) {
    const file = OF_SVC.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      if (whole !== undefined && whole.count > 0)
        ran.set(`${file} ${whole.startOffset}-${whole.endOffset}`, functionName || '(anonymous)');
    }
  }
  return ran;
}
