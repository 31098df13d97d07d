import { type Answer, call } from '../../api/client.ts';
import type { PageOf } from '../../api/use-pages.ts';
import { type AuditFilter, queryOfFilter } from './audit-filter.ts';

export type AuditItem = Answer<'auditTrail'>['items'][number];

const PAGE = 100;
/** Looks of the server at ten thousand rows each: the reader decides whether to go on. */
const LOOKS = 20;

/** The next rows that fit. The server looks at so many rows in a request; a rare event takes several. */
export async function loadAudit(
  filter: AuditFilter,
  before: string | undefined,
  signal: AbortSignal,
): Promise<PageOf<AuditItem>> {
  const rows: AuditItem[] = [];
  let next: string | null = before ?? null;
  for (let look = 0; look < LOOKS; look += 1) {
    const limit = String(PAGE - rows.length);
    const query = { ...queryOfFilter(filter), limit, ...(next === null ? {} : { before: next }) };
    const answer: Answer<'auditTrail'> = await call('auditTrail', { query, signal });
    rows.push(...answer.items);
    next = answer.next;
    if (next === null || rows.length >= PAGE) break;
  }
  return { rows, next };
}
