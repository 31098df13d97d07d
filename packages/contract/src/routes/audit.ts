import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { BeforeText, InstantSchema, LimitText, literals, NullableText, Type } from './common.ts';

const AuditItem = Type.Object({
  id: Type.String(),
  at: InstantSchema,
  event: Type.String(),
  outcome: Type.String(),
  actor: NullableText,
  actorEmail: NullableText,
  target: NullableText,
  address: NullableText,
  /** The socket's own address; `address` is what the proxies on the way claim. */
  peer: NullableText,
  requestId: NullableText,
  reason: NullableText,
  hash: Type.String(),
  previousHash: Type.String(),
});

/** Which rows are wanted; all that is named has to fit. */
const Filter = {
  /** Account id, or the e-mail of an account. */
  actor: Type.Optional(Type.String({ maxLength: 254 })),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  /** ISO 8601: it happened then or later, and before then. */
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
};

export const auditRoutes = {
  auditTrail: defineRoute({
    method: 'GET',
    path: '/audit',
    access: ADMIN,
    summary: 'A page of the audit trail, newest first; `before` is the id of a row',
    query: Type.Object({
      ...Filter,
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    /** `next` may be there although `items` holds fewer rows than `limit`: the search went so far and goes on. */
    responses: { 200: Type.Object({ items: Type.Array(AuditItem), next: NullableText }) },
  }),
  verifyAudit: defineRoute({
    method: 'GET',
    path: '/audit/verify',
    access: ADMIN,
    summary: 'Whether a row of the audit trail was changed, added or removed',
    responses: {
      200: Type.Object({
        ok: Type.Boolean(),
        /** The first thing that does not fit. */
        problem: NullableText,
        /** Rows ever written, and the hash of the last, for keeping elsewhere. */
        head: Type.Object({ count: Type.Integer(), hash: Type.String() }),
        /** Rows that retention removed. */
        removed: Type.Integer(),
        /** Rows of a version whose chain had no key. */
        unkeyed: Type.Integer(),
        at: InstantSchema,
      }),
    },
  }),
  exportAudit: defineRoute({
    method: 'GET',
    path: '/audit/export',
    access: ADMIN,
    summary: 'The audit trail as a file, newest first: JSON lines, or CSV',
    query: Type.Object({ ...Filter, format: Type.Optional(literals(['csv', 'jsonl'])) }),
    responses: { 200: Type.Unsafe<string>({ type: 'string', format: 'binary' }) },
  }),
};
