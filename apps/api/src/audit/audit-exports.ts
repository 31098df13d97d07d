import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type AuditQuery, type AuditTrail, mayAccess, Refusal, type ShownAuditRow } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transfers } from '../apps/transfers.ts';
import { AUDIT_FORMATS, type AuditFormat, auditFileHead, auditFileLine } from './audit-file.ts';

/** Maximum number of exports at the same time. */
const MOST_AT_ONCE = 4;
/**
 * Maximum time without progress after which an export is aborted (ms). Node.js may notice the lack of progress only
 * after twice this time.
 */
const IDLE_MS = 30_000;

/**
 * Sends exports of the audit trail as files. Rows are read from the database in batches, as fast as the client receives
 * them. An export is aborted when its caller is no longer allowed to read the audit trail.
 */
export class AuditExports {
  readonly #trail: AuditTrail;
  readonly #transfers: Transfers;
  #running = 0;

  constructor(trail: AuditTrail, transfers: Transfers) {
    this.#trail = trail;
    this.#transfers = transfers;
  }

  send(request: FastifyRequest, reply: FastifyReply, query: AuditQuery, format: AuditFormat): FastifyReply {
    if (this.#running >= MOST_AT_ONCE)
      throw new Refusal('overloaded', 'too many exports', {
        message: 'Too many exports run at once. Try again when one of them is done.',
      });
    const rows = this.#trail.export(request.caller, query, format);
    reply.headers({
      'content-type': AUDIT_FORMATS[format],
      'content-disposition': `attachment; filename="audit.${format}"`,
      'x-content-type-options': 'nosniff',
    });
    return reply.send(
      request.method === 'HEAD' ? Readable.from([]) : this.#content(request, reply, rows, format),
    );
  }

  #content(
    { caller }: FastifyRequest,
    { raw }: FastifyReply,
    rows: Iterable<readonly ShownAuditRow[]>,
    format: AuditFormat,
  ): Readable {
    const transfer = this.#transfers.begin(caller, (now) =>
      mayAccess(now, ADMIN) ? null : 'no longer an Admin with the scope admin',
    );
    this.#running += 1;
    const content = Readable.from(linesOf(rows, format), { objectMode: false });
    transfer.signal.addEventListener('abort', () => raw.destroy());
    raw.setTimeout(IDLE_MS, () => raw.destroy());
    content.once('close', () => {
      this.#running -= 1;
      transfer.done();
    });
    return content;
  }
}

async function* linesOf(
  steps: Iterable<readonly ShownAuditRow[]>,
  format: AuditFormat,
): AsyncGenerator<string> {
  const head = auditFileHead(format);
  if (head !== '') yield head;
  for (const rows of steps) {
    if (rows.length > 0) yield rows.map((row) => auditFileLine(row, format)).join('');
    await otherWork();
  }
}
