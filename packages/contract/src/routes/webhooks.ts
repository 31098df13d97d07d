import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FAILURES } from '../webhooks.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  literals,
  NullableText,
  named,
  Type,
  UuidSchema,
} from './common.ts';

const EventSchema = named('WebhookEvent', literals(WEBHOOK_EVENTS));

/** `status`: of the receiver's answer, null when there was none; `error` says why. */
const Outcome = {
  status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  error: documentedAs(
    Type.Unsafe<(typeof WEBHOOK_FAILURES)[number] | null>({ enum: [...WEBHOOK_FAILURES, null] }),
    Type.Union([named('WebhookFailure', literals(WEBHOOK_FAILURES)), Type.Null()]),
  ),
};

const Webhook = {
  id: UuidSchema,
  url: NullableText,
  events: Type.Array(EventSchema),
  createdAt: InstantSchema,
};

/** Others are refused by a rule (400 `invalid_url`). */
const WebhookUrl = documentedAs(
  Type.String(),
  Type.String({ format: 'uri', description: 'http or https, without user name and password.' }),
);

export const webhookRoutes = {
  listWebhooks: defineRoute({
    method: 'GET',
    path: '/webhook',
    access: ADMIN,
    summary: 'The webhooks of the lab, their last outcome and how many deliveries wait',
    responses: {
      200: Type.Array(
        named(
          'Webhook',
          Type.Object({
            ...Webhook,
            lastDelivery: Type.Union([
              named('WebhookDelivery', Type.Object({ at: InstantSchema, ...Outcome })),
              Type.Null(),
            ]),
            pending: Type.Integer({ description: 'Deliveries that wait.' }),
          }),
        ),
      ),
    },
  }),
  createWebhook: defineRoute({
    method: 'POST',
    path: '/webhook',
    access: ADMIN,
    summary: 'Add a webhook; the secret that signs its deliveries is shown this once',
    body: Type.Object({
      url: WebhookUrl,
      events: Type.Array(EventSchema, { minItems: 1, maxItems: 16 }),
    }),
    responses: {
      201: named(
        'CreatedWebhook',
        Type.Object({
          ...Webhook,
          secret: Type.String({ description: 'Signs its deliveries (Standard Webhooks); shown this once.' }),
        }),
      ),
    },
    errors: ['invalid_url', 'conflict'],
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
      id: Type.Optional(UuidSchema),
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(Type.Array(EventSchema, { maxItems: 16 })),
    }),
    responses: { 200: named('WebhookTest', Type.Object({ delivered: Type.Boolean(), ...Outcome })) },
    errors: ['invalid_url', 'not_found', 'overloaded'],
  }),
};
