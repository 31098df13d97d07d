import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { relativeText } from './relative-text.ts';

const READER = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Interval at which relative times are updated, in milliseconds. */
const UPDATE_MS = 20_000;

const now = signal(Date.now());
let shown = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function follow(): () => void {
  shown += 1;
  now.value = Date.now();
  timer ??= setInterval(() => {
    now.value = Date.now();
  }, UPDATE_MS);
  return () => {
    shown -= 1;
    if (shown > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface TimeProps {
  at: string | null | undefined;
  /** Text to show if there is no time. */
  none?: string;
}

/** Shows a time in a sentence or among facts, in the user's time zone. The tooltip has the exact time, also in UTC. */
export function TimeText({ at, none = texts.common.never }: TimeProps) {
  return <Time at={at} none={none} textOf={(moment) => READER.format(moment)} />;
}

/** Shows a time in a table, as the distance from now. The tooltip has the exact time. */
export function TimeAgo({ at, none = texts.common.never }: TimeProps) {
  useEffect(follow, []);
  return <Time at={at} none={none} textOf={(moment) => relativeText(moment.getTime(), now.value)} />;
}

function Time({ at, none, textOf }: Required<TimeProps> & { textOf(moment: Date): string }) {
  if (at === null || at === undefined) return <span class="soft">{none}</span>;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={`${EXACT.format(moment)} (${at.replace('T', ' ').replace('Z', '')} UTC)`}>
      {textOf(moment)}
    </time>
  );
}
