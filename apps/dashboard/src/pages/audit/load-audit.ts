import { type Answer, call } from '../../api/client.ts';
import type { PageOf } from '../../api/use-pages.ts';
import { type AuditFilter, queryOfFilter } from './audit-filter.ts';

export type AuditItem = Answer<'auditTrail'>['items'][number];

const PAGE = 100;
/**
 * Maximum number of requests for one page. Each request searches ten thousand rows. If all of them together find too
 * few rows for a page, the user decides whether to continue.
 */
const MAX_REQUESTS = 20;

/**
 * Loads the next page of matching rows. Sends several requests if necessary, because one request searches only a
 * limited number of rows and may find too few matches for a page.
 */
export async function loadAudit(
  filter: AuditFilter,
  order: 'oldest' | '',
  before: string | undefined,
  signal: AbortSignal,
): Promise<PageOf<AuditItem>> {
  const rows: AuditItem[] = [];
  let next: string | null = before ?? null;
  for (let look = 0; look < MAX_REQUESTS; look += 1) {
    const limit = String(PAGE - rows.length);
    const query = {
      ...queryOfFilter(filter),
      ...(order === '' ? {} : { order }),
      limit,
      ...(next === null ? {} : { before: next }),
    };
    const answer: Answer<'auditTrail'> = await call('auditTrail', { query, signal });
    rows.push(...answer.items);
    next = answer.next;
    if (next === null || rows.length >= PAGE) break;
  }
  return { rows, next };
}
