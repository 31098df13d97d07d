import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from './duration-text.ts';

/** Current time in milliseconds since 1970. It is updated once per second while a component shows a running time. */
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

/** Shows the duration between two times, or up to now if `to` is null. Screen readers do not announce each update. */
export function RunningTime({ from, to }: { from: string; to: string | null }) {
  const runs = to === null;
  useEffect(() => (runs ? count() : undefined), [runs]);
  const end = to === null ? now.value : Date.parse(to);
  return <span class="running-time">{durationText(end - Date.parse(from))}</span>;
}

/** Shows the time left until a moment, or `0 s` if the moment has passed. */
export function TimeLeft({ until }: { until: string }) {
  useEffect(() => count(), []);
  return <span class="running-time">{durationText(Date.parse(until) - now.value)}</span>;
}
