import { type AuditQuery, type AuditTrail, mayAccess, type ShownAuditRow } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LargeReads } from '../reads/large-reads.ts';
import { AUDIT_FORMATS, type AuditFormat, auditFileHead, auditFileLine } from './audit-file.ts';

/**
 * Sends exports of the audit trail as files. Rows are read from the database in batches, as fast as the client receives
 * them. An export is aborted when its caller is no longer allowed to read the audit trail.
 */
export class AuditExports {
  readonly #trail: AuditTrail;
  readonly #reads: LargeReads;

  constructor(trail: AuditTrail, reads: LargeReads) {
    this.#trail = trail;
    this.#reads = reads;
  }

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    query: AuditQuery,
    format: AuditFormat,
  ): Promise<FastifyReply> {
    const rows = this.#trail.export(request.caller, query, format);
    return await this.#reads.send(request, reply, {
      type: AUDIT_FORMATS[format],
      headers: {
        'content-disposition': `attachment; filename="audit.${format}"`,
        'x-content-type-options': 'nosniff',
      },
      texts: () => linesOf(rows, format),
      refusal: (now) => (mayAccess(now, ADMIN) ? null : 'no longer an Admin with the scope admin'),
    });
  }
}

function* linesOf(steps: Iterable<readonly ShownAuditRow[]>, format: AuditFormat): Generator<string> {
  yield auditFileHead(format);
  for (const rows of steps) {
    // Ends the turn if reading the rows has taken its time.
    yield '';
    for (const row of rows) yield auditFileLine(row, format);
  }
}
