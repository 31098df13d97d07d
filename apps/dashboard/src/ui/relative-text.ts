import { texts } from '../texts/en.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distance from which on a date says more than a number of days. */
const FAR = 28 * DAY;

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** @returns a time as people say it, such as `3 min ago` or `in 5 d`, or a date if it is more than four weeks away */
export function relativeText(at: number, now: number): string {
  const ms = at - now;
  const far = Math.abs(ms);
  if (far >= FAR) return DATE.format(at);
  if (far < MINUTE) return ms > 0 ? texts.durations.soon : texts.durations.now;
  const { minutes, hours, days } = texts.durations.whole;
  const distance =
    far < HOUR
      ? minutes(Math.floor(far / MINUTE))
      : far < DAY
        ? hours(Math.floor(far / HOUR))
        : days(Math.floor(far / DAY));
  return ms > 0 ? texts.durations.ahead(distance) : texts.durations.ago(distance);
}
