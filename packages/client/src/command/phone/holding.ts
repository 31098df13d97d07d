import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../../error.ts';
import type { LabSockets } from './lab-sockets.ts';

/** Time (ms) for which a command keeps trying to reach the lab again. */
const RECONNECT_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

/** Keeps the connection to the lab open, so that its end is noticed without a service. Tries again after a break. */
export async function watch(
  lab: LabSockets,
  end: (reason: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let lost: number | undefined;
  while (!signal.aborted) {
    try {
      await lab.about();
      lost = undefined;
    } catch (error) {
      lost ??= Date.now();
      const isFinal = error instanceof SvcError && error.status >= 400 && error.status < 500;
      if (isFinal) end(`the lab refuses it (${error.code})`);
      else if (Date.now() - lost > RECONNECT_MS) end('the lab cannot be reached');
    }
    await pause(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined);
  }
}

/** @returns the reason why the command ends, or undefined if the user stopped it */
export function stopSignal(ended: AbortSignal): Promise<string | undefined> {
  return new Promise((done) => {
    if (ended.aborted) done(String(ended.reason));
    ended.addEventListener('abort', () => done(String(ended.reason)), { once: true });
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => done(undefined));
  });
}
