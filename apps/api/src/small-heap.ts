import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Requests that came with the start are answered by then. */
const SETTLE_MS = 1_000;

/**
 * Keeps the memory of a server that has just started small; call it before anything is loaded, and what it answers once
 * the server listens. While modules load, nearly everything lives on, which V8 takes as a reason to double its young
 * generation again and again, and it keeps what it has taken. So that does not grow until the start is over; then it does
 * as ever, since a small one makes requests slow. One collection gives back what the start has left: 26 MB of 112 in all
 * (docs/decisions/0025).
 */
export function startSmall(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => {
    setFlagsFromString('--semi-space-growth-factor=2');
    setTimeout(collect, SETTLE_MS).unref();
  };
}

/** Twice: what the first finds unused the second frees. V8 gives memory back to the system where size is what counts. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  setFlagsFromString('--optimize-for-size');
  collectGarbage();
  collectGarbage();
  setFlagsFromString('--no-optimize-for-size');
  setFlagsFromString('--no-expose-gc');
}
