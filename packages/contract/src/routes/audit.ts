import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import {
  BeforeText,
  documentedAs,
  InstantSchema,
  LimitText,
  literals,
  NullableText,
  NullableUuid,
  named,
  Type,
  UuidSchema,
} from './common.ts';

const AuditItem = named(
  'AuditRow',
  Type.Object({
    id: UuidSchema,
    at: InstantSchema,
    event: Type.String({ description: 'After the OWASP logging vocabulary.' }),
    outcome: Type.String(),
    actor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Account id; null: nobody is known.',
    }),
    actorEmail: NullableText,
    target: NullableText,
    address: NullableText,
    peer: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "The socket's own address; `address` is what the proxies on the way claim.",
    }),
    requestId: NullableText,
    reason: NullableText,
    hash: Type.String(),
    previousHash: Type.String(),
  }),
);

/** ISO 8601. */
function timeText(description: string) {
  return documentedAs(
    Type.String({ maxLength: 40 }),
    Type.String({ maxLength: 40, format: 'date-time', description }),
  );
}

/** Which rows are wanted; all that is named has to fit. */
const Filter = {
  actor: Type.Optional(
    Type.String({ maxLength: 254, description: 'Account id, or the e-mail of an account.' }),
  ),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  from: Type.Optional(timeText('It happened then or later.')),
  to: Type.Optional(timeText('It happened before.')),
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
    description:
      '`next` is the `before` of the next page. It may be there although `items` holds fewer rows than `limit`: the search went so far and goes on.',
    responses: { 200: named('AuditPage', Type.Object({ items: Type.Array(AuditItem), next: NullableUuid })) },
  }),
  verifyAudit: defineRoute({
    method: 'GET',
    path: '/audit/verify',
    access: ADMIN,
    summary: 'Whether a row of the audit trail was changed, added or removed',
    responses: {
      200: named(
        'AuditVerification',
        Type.Object({
          ok: Type.Boolean(),
          problem: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            description: 'The first thing that does not fit.',
          }),
          head: Type.Object(
            { count: Type.Integer(), hash: Type.String() },
            { description: 'Rows ever written, and the hash of the last, for keeping elsewhere.' },
          ),
          removed: Type.Integer({ description: 'Rows that retention removed.' }),
          unkeyed: Type.Integer({ description: 'Rows of a version whose chain had no key.' }),
          at: InstantSchema,
        }),
      ),
    },
  }),
  exportAudit: defineRoute({
    method: 'GET',
    path: '/audit/export',
    access: ADMIN,
    summary: 'The audit trail as a file, newest first: JSON lines, or CSV',
    query: Type.Object({ ...Filter, format: Type.Optional(literals(['csv', 'jsonl'])) }),
    responses: { 200: Type.Unsafe<string>({ type: 'string', format: 'binary' }) },
    produces: ['application/x-ndjson', 'text/csv'],
    errors: ['overloaded'],
  }),
};
