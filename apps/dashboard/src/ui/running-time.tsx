import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from './duration-text.ts';

/** Time of the user's machine, updated once per second while something counts. */
const now = signal(Date.now());
let counting = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function count(): () => void {
  counting += 1;
  now.value = Date.now();
  timer ??= setInterval(() => {
    now.value = Date.now();
  }, 1_000);
  return () => {
    counting -= 1;
    if (counting > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A duration, up to now if it has not ended. Screen readers do not announce each update. */
export function RunningTime({ from, to }: { from: string; to: string | null }) {
  const runs = to === null;
  useEffect(() => (runs ? count() : undefined), [runs]);
  const end = to === null ? now.value : Date.parse(to);
  return <span class="running-time">{durationText(end - Date.parse(from))}</span>;
}

/** Time left until a moment; `0 s` once it has passed. */
export function TimeLeft({ until }: { until: string }) {
  useEffect(() => count(), []);
  return <span class="running-time">{durationText(Date.parse(until) - now.value)}</span>;
}
