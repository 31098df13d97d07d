import { type Clock, mayAccess } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import { type Handlers, instant, mapped } from '@svc/module';
import {
  AUDIT_FORMATS,
  type AuditFormat,
  auditFileHead,
  auditFileLine,
  describeAuditRow,
} from './audit-file.ts';
import type { AuditTrail, ShownAuditRow } from './audit-trail.ts';
import { AuditVerification } from './audit-verification.ts';

/** Handlers that list, verify and export the audit trail (contract 2). */
export function auditHandlers(trail: AuditTrail, clock: Clock): Handlers {
  const verification = new AuditVerification(trail, clock);
  return {
    auditTrail: {
      page: ({ caller, query: { limit, ...query } }) => {
        const size = limit === undefined ? undefined : Number(limit);
        const { items, next } = trail.page(caller, { ...query, limit: size });
        return { items: mapped(items, describeAuditRow), next };
      },
    },
    verifyAudit: async ({ caller }, { turns }) => {
      const { head, removed, unkeyed, problem, at } = await verification.run(caller, turns);
      return { ok: problem === null, problem, head, removed, unkeyed, at: instant(at) };
    },
    exportAudit: {
      // Rows are read from the database in batches, as fast as the client receives them.
      large: ({ caller, query: { format = 'jsonl', ...query } }) => {
        const rows = trail.export(caller, query, format);
        return {
          type: AUDIT_FORMATS[format],
          headers: {
            'content-disposition': `attachment; filename="audit.${format}"`,
            'x-content-type-options': 'nosniff',
          },
          texts: () => linesOf(rows, format),
          refusal: (now) => (mayAccess(now, ADMIN) ? null : 'no longer an Admin with the scope admin'),
        };
      },
    },
  };
}

function* linesOf(steps: Iterable<readonly ShownAuditRow[]>, format: AuditFormat): Generator<string> {
  yield auditFileHead(format);
  for (const rows of steps) {
    // Ends the turn if reading the rows has taken its time.
    yield '';
    for (const row of rows) yield auditFileLine(row, format);
  }
}
