import { ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  BeforeText,
  InstantSchema,
  LimitText,
  literals,
  NullableText,
  NullableUuid,
  namedObject,
  OrderText,
  Type,
  timeText,
  UuidSchema,
} from './common.ts';

const AuditItem = namedObject('AuditRow', {
  id: UuidSchema,
  at: InstantSchema,
  event: Type.String({ description: 'A name in the style of the OWASP logging vocabulary.' }),
  outcome: Type.String(),
  actor: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Account id, or null if the request was not authenticated.',
  }),
  actorEmail: NullableText,
  target: NullableText,
  address: NullableText,
  peer: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: "The address of the socket's peer; `address` is the client's address as proxies report it.",
  }),
  requestId: NullableText,
  reason: NullableText,
  via: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      '`mcp` if an agent caused the event with an MCP tool, `attach` if it came through an attach address, otherwise null.',
  }),
  hash: Type.String(),
  previousHash: Type.String(),
});

/** Filters of the audit rows. A row must match all filters that are given. */
const Filter = {
  actor: Type.Optional(
    Type.String({ maxLength: 254, description: 'Account id, or the e-mail of an account.' }),
  ),
  event: Type.Optional(Type.String({ maxLength: 100 })),
  from: Type.Optional(timeText('Only rows of this time or later.')),
  to: Type.Optional(timeText('Only rows before this time.')),
};

const TAG: RouteTag = { name: 'Audit', description: 'The audit trail.' };

export const auditRoutes = feature(TAG, {
  auditTrail: route.get('/audit', {
    access: ADMIN,
    summary: 'A page of the audit trail, newest first unless `order` is `oldest`',
    query: Type.Object({
      ...Filter,
      order: Type.Optional(OrderText),
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    description:
      '`next` is the `before` of the next page. It can be set although `items` holds fewer rows than `limit`, because one request searches a limited number of rows.',
    responses: {
      200: namedObject('AuditPage', { items: Type.Array(AuditItem), next: NullableUuid }),
    },
  }),
  verifyAudit: route.get('/audit/verify', {
    access: ADMIN,
    summary: 'Whether a row of the audit trail was changed, added or removed',
    responses: {
      200: namedObject('AuditVerification', {
        ok: Type.Boolean(),
        problem: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'The first inconsistency found, or null.',
        }),
        head: Type.Object(
          { count: Type.Integer(), hash: Type.String() },
          {
            description:
              'Number of rows ever written and the hash of the last one. Keep a copy elsewhere to detect a replaced trail.',
          },
        ),
        removed: Type.Integer({
          description: 'Number of rows removed because they were older than the retention.',
        }),
        unkeyed: Type.Integer({
          description: 'Number of rows written by versions whose hash chain had no key.',
        }),
        at: InstantSchema,
      }),
    },
  }),
  exportAudit: route.get('/audit/export', {
    access: ADMIN,
    summary: 'The audit trail as a file, newest first: JSON lines, or CSV',
    query: Type.Object({ ...Filter, format: Type.Optional(literals(['csv', 'jsonl'])) }),
    responses: { 200: Type.Unsafe<string>({ type: 'string', format: 'binary' }) },
    produces: ['application/x-ndjson', 'text/csv'],
    errors: ['overloaded'],
  }),
});
