import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../../error.ts';
import type { LabSockets } from './lab-sockets.ts';

/** Time (ms) for which a command keeps trying to reach the lab again. */
const RECONNECT_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
const RETRY_EVERY_MS = 1_000;
/**
 * Number of refusals in a row that end a command. A lab that has just restarted refuses phones until it has found them
 * again.
 */
const REFUSALS = 5;
const TOO_MANY_REQUESTS = 429;

/** Time of this machine (ms), and a pause that an abort ends early. */
interface Waiting {
  now(): number;
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
}

const WAITING: Waiting = {
  now: Date.now,
  pause: (ms, signal) => pause(ms, undefined, { ref: false, signal }).catch(() => undefined),
};

/** Keeps the connection to the lab open, so that its end is noticed without a service. Tries again after a break. */
export async function watch(
  lab: Pick<LabSockets, 'about'>,
  end: (reason: string) => void,
  signal: AbortSignal,
  waiting = WAITING,
): Promise<void> {
  let lost: number | undefined;
  let refusals = 0;
  while (!signal.aborted) {
    try {
      await lab.about();
      lost = undefined;
      refusals = 0;
    } catch (error) {
      lost ??= waiting.now();
      refusals = isRefusal(error) ? refusals + 1 : 0;
      if (isRefusal(error) && refusals === REFUSALS) end(`the lab refuses it (${error.code})`);
      else if (waiting.now() - lost > RECONNECT_MS) end('the lab cannot be reached');
    }
    const wait = lost === undefined ? LOOK_EVERY_MS : RETRY_EVERY_MS;
    await waiting.pause(wait, signal);
  }
}

function isRefusal(error: unknown): error is SvcError {
  return (
    error instanceof SvcError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== TOO_MANY_REQUESTS
  );
}

/** @returns the reason why the command ends, or undefined if the user stopped it */
export async function stopSignal(ended: AbortSignal): Promise<string | undefined> {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let stop: () => void = () => undefined;
  await new Promise<void>((done) => {
    stop = done;
    if (ended.aborted) done();
    ended.addEventListener('abort', stop, { once: true });
    for (const name of names) process.once(name, stop);
  });
  for (const name of names) process.off(name, stop);
  return ended.aborted ? String(ended.reason) : undefined;
}
