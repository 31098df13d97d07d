import { writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a server with `--import`. Measures the longest time during which its event loop did nothing else, in the
 * first five seconds after it listens, and writes it (ms) to the file `BENCH_STALL_FILE`.
 */

const WATCHED_MS = 5_000;
/** The work of listening itself, which no client can wait for. */
const BEGIN_MS = 50;

const { listen } = Server.prototype;
let isWatched = false;
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.once('listening', () => {
    if (isWatched) return;
    isWatched = true;
    setTimeout(watch, BEGIN_MS).unref();
  });
  return Reflect.apply(listen, this, args);
};

function watch(): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  setTimeout(() => {
    delay.disable();
    writeFileSync(process.env.BENCH_STALL_FILE ?? '', String(delay.max / 1e6));
  }, WATCHED_MS).unref();
}
