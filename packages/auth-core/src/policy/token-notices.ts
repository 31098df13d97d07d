const DAY_MS = 24 * 60 * 60 * 1000;

/** Days before the end of a key or token at which its owner gets a notice, earliest first (contract 10.6). */
const NOTICE_DAYS = [30, 7, 1] as const;
export type NoticeDays = (typeof NOTICE_DAYS)[number];

/** Time without use after which a key or token counts as unused (contract 10.6). */
const UNUSED_MS = 90 * DAY_MS;

/**
 * @returns the time (ms since 1970) of the first notice that is due after `after`, or null if there is none. With the
 * time of creation as `after`, it leaves out the steps that are already past when a token is made (contract 10.6).
 */
export function nextNoticeAt(expiresAt: number | null, after: number): number | null {
  if (expiresAt === null) return null;
  const times = NOTICE_DAYS.map((days) => expiresAt - days * DAY_MS);
  return times.find((at) => at > after) ?? null;
}

/** @returns the time (ms since 1970) of the earliest step, or null if the token never expires */
export function firstNoticeAt(expiresAt: number | null): number | null {
  return nextNoticeAt(expiresAt, Number.NEGATIVE_INFINITY);
}

/**
 * @returns the latest step that `now` has reached, or null if it has reached none or if the token has expired. After a
 * jump of the clock over several steps, only the latest one gets a notice, because it says what the others would say.
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
 * @returns the later of the times at which a key or token was made and last used, if that is 90 days ago or more,
 * otherwise null (contract 10.6)
 */
export function unusedSince({ createdAt, lastUsedAt }: UsedToken, now: number): number | null {
  const since = Math.max(createdAt, lastUsedAt ?? createdAt);
  return now - since >= UNUSED_MS ? since : null;
}
