import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** The audit trail, newest first (contract 2). */
export function auditRoutes(api: App, { services }: HttpContext): void {
  handle(api, routes.auditTrail, ({ caller, query: { before, limit } }) => {
    const { items, next } = services.auditTrail.page(caller, {
      ...(before === undefined ? {} : { before }),
      ...(limit === undefined ? {} : { limit: Number(limit) }),
    });
    return { items: items.map((row) => ({ ...row, at: instant(row.at) })), next };
  });
}
