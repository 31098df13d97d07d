import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { InstantSchema, LimitText, NullableText, Type } from './common.ts';

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

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

export const auditRoutes = {
  auditTrail: defineRoute({
    method: 'GET',
    path: '/audit',
    access: ADMIN,
    summary: 'A page of the audit trail, newest first; `before` is the id of a row',
    query: Type.Object({
      before: Type.Optional(Type.String({ pattern: UUID })),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Object({ items: Type.Array(AuditItem), next: NullableText }) },
  }),
};
