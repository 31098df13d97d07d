import { texts } from '../texts/en.ts';
import { Badge } from './badge.tsx';
import { TimeText } from './time-text.tsx';

interface UsedToken {
  readonly lastUsedAt: string | null;
  /** Time since which the key or token is unused, or null if it was made or used in the last 90 days. */
  readonly unusedSince: string | null;
}

/** Shows when a key or token was last used, and marks one that is unused for a long time. */
export function LastUse({ lastUsedAt, unusedSince }: UsedToken) {
  if (unusedSince === null) return <TimeText at={lastUsedAt} />;
  return (
    <span class="two-lines">
      <TimeText at={lastUsedAt} />
      <span>
        <Badge tone="warn">{texts.common.unused}</Badge>
      </span>
    </span>
  );
}

/** Shows when a key or token ends, and marks one that never ends. */
export function TokenEnd({ at }: { at: string | null }) {
  return at === null ? <Badge tone="warn">{texts.common.neverEnds}</Badge> : <TimeText at={at} />;
}
