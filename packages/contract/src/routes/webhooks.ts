import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
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

/**
 * Fields of a delivery's result. `status` is that of the receiver's response, or null if there was none; `error` then
 * says why.
 */
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

/**
 * Schema of a webhook's address. Validation accepts any text; a later rule refuses an unsuitable one with 400
 * `invalid_url`.
 */
const WebhookUrl = documentedAs(
  Type.String(),
  Type.String({ format: 'uri', description: 'An http or https URL without user name and password.' }),
);

const TAG: RouteTag = { name: 'Webhooks', description: 'Addresses that events are sent to.' };

export const webhookRoutes = feature(TAG, {
  listWebhooks: defineRoute({
    method: 'GET',
    path: '/webhook',
    access: ADMIN,
    summary: 'Webhooks of the lab, with their last outcome and number of waiting deliveries',
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
            pending: Type.Integer({ description: 'Number of waiting deliveries.' }),
          }),
        ),
      ),
    },
  }),
  createWebhook: defineRoute({
    method: 'POST',
    path: '/webhook',
    access: ADMIN,
    summary: 'Add a webhook; only this response shows the secret that signs its deliveries',
    body: Type.Object({
      url: WebhookUrl,
      events: Type.Array(EventSchema, { minItems: 1, maxItems: 16 }),
    }),
    responses: {
      201: named(
        'CreatedWebhook',
        Type.Object({
          ...Webhook,
          secret: Type.String({
            description: 'Signs the deliveries (Standard Webhooks); shown only in this response.',
          }),
        }),
      ),
    },
    errors: ['invalid_url', 'conflict'],
  }),
  deleteWebhook: defineRoute({
    method: 'DELETE',
    path: '/webhook/:id',
    access: ADMIN,
    summary: 'Remove a webhook and its waiting deliveries',
    params: IdParams,
    responses: { 204: null },
  }),
  testWebhook: defineRoute({
    method: 'POST',
    path: '/webhook/test',
    access: ADMIN,
    // An unsaved address has no signing secret, so its test event is signed with a random secret that is then
    // discarded.
    summary: 'Send a test event to the webhook `id` or to the address `url`',
    body: Type.Object({
      id: Type.Optional(UuidSchema),
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(Type.Array(EventSchema, { maxItems: 16 })),
    }),
    responses: { 200: named('WebhookTest', Type.Object({ delivered: Type.Boolean(), ...Outcome })) },
    errors: ['invalid_url', 'not_found', 'overloaded'],
  }),
});
