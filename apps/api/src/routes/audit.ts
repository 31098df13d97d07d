import { ADMIN, Refusal } from '@svc/auth-core';
import { AuditQuery, AuditResponse } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 500;

/** The audit trail, newest first (contract 2). */
export function auditRoutes(api: App, { services }: HttpContext): void {
  api.get(
    '/audit',
    { config: { access: ADMIN }, schema: { querystring: AuditQuery, response: { 200: AuditResponse } } },
    async (request) => {
      services.flushAudit();
      const { before = null, limit } = request.query;
      if (before !== null && !services.stores.audit.has(before))
        throw new Refusal('bad_request', 'no such row', { message: 'before: is no row of the audit trail' });
      const size = Math.min(LARGEST_PAGE, limit === undefined ? DEFAULT_PAGE : Number(limit));
      const rows = services.stores.audit.page(before, size);
      return {
        items: rows.map((row) => ({ ...row, at: instant(row.at) })),
        next: rows.length < size ? null : (rows.at(-1)?.id ?? null),
      };
    },
  );
}
