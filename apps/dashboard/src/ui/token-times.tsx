import { texts } from '../texts/en.ts';
import { Badge } from './badge.tsx';
import { TimeAgo } from './time-text.tsx';

interface UsedToken {
  readonly lastUsedAt: string | null;
  /** Time of the last use (or of the creation) of a key or token that has been unused for 90 days, otherwise null. */
  readonly unusedSince: string | null;
}

/** Shows when a key or token was last used, and marks it if it has been unused for a long time. */
export function LastUse({ lastUsedAt, unusedSince }: UsedToken) {
  if (unusedSince === null) return <TimeAgo at={lastUsedAt} />;
  return (
    <span class="two-lines">
      <TimeAgo at={lastUsedAt} />
      <span>
        <Badge tone="warn">{texts.common.unused}</Badge>
      </span>
    </span>
  );
}

/** Shows when a key or token expires, and marks it if it never expires. */
export function TokenEnd({ at }: { at: string | null }) {
  return at === null ? <Badge tone="warn">{texts.common.neverEnds}</Badge> : <TimeAgo at={at} />;
}
