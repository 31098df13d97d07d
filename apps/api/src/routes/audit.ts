import { Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 500;

/** The audit trail, newest first (contract 2). */
export function auditRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.auditTrail, ({ query: { before = null, limit } }) => {
    services.flushAudit();
    if (before !== null && !services.stores.audit.has(before))
      throw new Refusal('bad_request', 'no such row', { message: 'before: is no row of the audit trail' });
    const size = Math.min(LARGEST_PAGE, limit === undefined ? DEFAULT_PAGE : Number(limit));
    const rows = services.stores.audit.page(before, size);
    return {
      items: rows.map((row) => ({ ...row, at: instant(row.at) })),
      next: rows.length < size ? null : (rows.at(-1)?.id ?? null),
    };
  });
}
