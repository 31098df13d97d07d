import { routes } from '@svc/contract';
import { instant, mapped } from '@svc/module';
import { AuditExports } from '../audit/audit-exports.ts';
import { describeAuditRow } from '../audit/audit-file.ts';
import { AuditVerification } from '../audit/audit-verification.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes that list, verify and export the audit trail (contract 2). */
export function auditRoutes(api: App, { services: { auditTrail, clock }, reads }: HttpContext): void {
  const verification = new AuditVerification(auditTrail, clock, reads.turns);
  const exports = new AuditExports(auditTrail, reads);

  handle(api, routes.auditTrail, async (request, reply) => {
    const {
      caller,
      query: { limit, ...query },
    } = request;
    const size = limit === undefined ? undefined : Number(limit);
    const { items, next } = auditTrail.page(caller, { ...query, limit: size });
    const rows = mapped(items, describeAuditRow);
    return await reads.sendPage({ request, reply }, routes.auditTrail, rows, next);
  });

  handle(api, routes.verifyAudit, async ({ caller }) => {
    const { head, removed, unkeyed, problem, at } = await verification.run(caller);
    return { ok: problem === null, problem, head, removed, unkeyed, at: instant(at) };
  });

  handle(api, routes.exportAudit, async (request, reply) => {
    const { format = 'jsonl', ...query } = request.query;
    return (await exports.send(request, reply, query, format)) as never;
  });
}
