const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Days before a key or token expires at which its owner gets a message about it, earliest message first (contract
 * 10.6).
 */
const NOTICE_DAYS = [30, 7, 1] as const;
export type NoticeDays = (typeof NOTICE_DAYS)[number];

/** Time without use after which a key or token counts as unused (contract 10.6). */
const UNUSED_MS = 90 * DAY_MS;

/**
 * @returns the time (ms since 1970) of the first expiry notice that is due later than `after`, or null if there is
 * none. With the time of creation as `after`, a token that lives 5 days gets only the notice 1 day before its expiry
 * (contract 10.6)
 */
export function nextNoticeAt(expiresAt: number | null, after: number): number | null {
  if (expiresAt === null) return null;
  const times = NOTICE_DAYS.map((days) => expiresAt - days * DAY_MS);
  return times.find((at) => at > after) ?? null;
}

/** @returns the time (ms since 1970) of the first expiry notice, or null if the token never expires */
export function firstNoticeAt(expiresAt: number | null): number | null {
  return nextNoticeAt(expiresAt, Number.NEGATIVE_INFINITY);
}

/**
 * @returns which expiry notice is due at `now`: the one for 30, 7 or 1 days before the token expires. If the times of
 * several have passed, it is the latest of them, which replaces the earlier ones. Null if none is due or the token has
 * expired
 */
export function noticeStep(expiresAt: number, now: number): NoticeDays | null {
  if (now >= expiresAt) return null;
  return NOTICE_DAYS.findLast((days) => now >= expiresAt - days * DAY_MS) ?? null;
}

interface UsedToken {
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/**
 * @returns since when a key or token has been unused (ms since 1970), which is its last use or its creation, whichever
 * is later. Null if that is less than 90 days ago (contract 10.6)
 */
export function unusedSince({ createdAt, lastUsedAt }: UsedToken, now: number): number | null {
  const since = Math.max(createdAt, lastUsedAt ?? createdAt);
  return now - since >= UNUSED_MS ? since : null;
}
