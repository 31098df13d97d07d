import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FAILURES } from '../webhooks.ts';
import { IdParams, InstantSchema, literals, NullableText, Type } from './common.ts';

const EventSchema = literals(WEBHOOK_EVENTS);

/** `status`: of the receiver's answer, null when there was none; `error` says why. */
const Outcome = {
  status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  error: Type.Unsafe<(typeof WEBHOOK_FAILURES)[number] | null>({ enum: [...WEBHOOK_FAILURES, null] }),
};

const Webhook = {
  id: Type.String(),
  url: NullableText,
  events: Type.Array(EventSchema),
  createdAt: InstantSchema,
};

export const webhookRoutes = {
  listWebhooks: defineRoute({
    method: 'GET',
    path: '/webhook',
    access: ADMIN,
    summary: 'The webhooks of the lab, their last outcome and how many deliveries wait',
    responses: {
      200: Type.Array(
        Type.Object({
          ...Webhook,
          lastDelivery: Type.Union([Type.Object({ at: InstantSchema, ...Outcome }), Type.Null()]),
          pending: Type.Integer(),
        }),
      ),
    },
  }),
  createWebhook: defineRoute({
    method: 'POST',
    path: '/webhook',
    access: ADMIN,
    summary: 'Add a webhook; the secret that signs its deliveries is shown this once',
    body: Type.Object({
      url: Type.String(),
      events: Type.Array(EventSchema, { minItems: 1, maxItems: 16 }),
    }),
    responses: { 201: Type.Object({ ...Webhook, secret: Type.String() }) },
  }),
  deleteWebhook: defineRoute({
    method: 'DELETE',
    path: '/webhook/:id',
    access: ADMIN,
    summary: 'Remove a webhook and the deliveries that wait for it',
    params: IdParams,
    responses: { 204: null },
  }),
  testWebhook: defineRoute({
    method: 'POST',
    path: '/webhook/test',
    access: ADMIN,
    // Before it is saved an address has no secret: its test is signed with one nobody has.
    summary: 'Send a test event now, to the webhook `id` or to the address `url`',
    body: Type.Object({
      id: Type.Optional(Type.String()),
      url: Type.Optional(Type.String()),
      events: Type.Optional(Type.Array(EventSchema, { maxItems: 16 })),
    }),
    responses: { 200: Type.Object({ delivered: Type.Boolean(), ...Outcome }) },
  }),
};
