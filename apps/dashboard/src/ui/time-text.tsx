import { texts } from '../texts/en.ts';

const READER = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Shows a time in the user's time zone, with the exact time in UTC as its tooltip. */
export function TimeText({
  at,
  none = texts.common.never,
}: {
  at: string | null | undefined;
  none?: string;
}) {
  if (at === null || at === undefined) return <span class="soft">{none}</span>;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
      {READER.format(moment)}
    </time>
  );
}
