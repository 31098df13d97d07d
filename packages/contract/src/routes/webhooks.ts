import { ADMIN, exceptAgents } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { has, hasNone, when } from '../field-rules.ts';
import {
  DELIVERY_STATES,
  LONGEST_WEBHOOK_TAG,
  WEBHOOK_EVENTS,
  WEBHOOK_FAILURES,
  WEBHOOK_FORMATS,
} from '../webhooks.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  literals,
  NullableInstant,
  NullableText,
  NullableUuid,
  named,
  namedObject,
  orNull,
  Type,
  UuidSchema,
  withRule,
} from './common.ts';

const EventSchema = named('WebhookEvent', literals(WEBHOOK_EVENTS));
const FormatSchema = named('WebhookFormat', literals(WEBHOOK_FORMATS));

/**
 * Fields of a delivery's result. `status` is the HTTP status of the receiver's response. If there was no response,
 * `status` is null and `error` says why.
 */
const Outcome = {
  status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  error: documentedAs(
    Type.Unsafe<(typeof WEBHOOK_FAILURES)[number] | null>({ enum: [...WEBHOOK_FAILURES, null] }),
    orNull(named('WebhookFailure', literals(WEBHOOK_FAILURES))),
  ),
};

const Webhook = {
  id: UuidSchema,
  url: NullableText,
  events: Type.Array(EventSchema),
  format: FormatSchema,
  teamId: NullableUuid,
  tag: NullableText,
  paused: Type.Boolean(),
  createdAt: InstantSchema,
};

const Pending = Type.Integer({ description: 'Number of waiting deliveries.' });

const WebhookSchema = namedObject('Webhook', {
  ...Webhook,
  lastDelivery: orNull(namedObject('WebhookDelivery', { at: InstantSchema, ...Outcome })),
  pending: Pending,
});

const DeliverySchema = namedObject('DeliveryRecord', {
  id: Type.String(),
  event: EventSchema,
  summary: Type.String({ description: 'The event in one line.' }),
  state: named('DeliveryState', literals(DELIVERY_STATES)),
  createdAt: InstantSchema,
  tries: Type.Integer(),
  lastTryAt: NullableInstant,
  nextTryAt: NullableInstant,
  ...Outcome,
});

/**
 * Schemas of a webhook's filters. An event is sent only if it is about the team, and about a phone or session with the
 * tag. Validation accepts any text as a team; later code refuses an unknown team with 400 `unknown_team`.
 */
const Filters = {
  teamId: Type.Optional(NullableUuid),
  tag: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: LONGEST_WEBHOOK_TAG,
      pattern: '\\S',
      description: 'Only events about a phone or a session with this tag. null means all events.',
    }),
  ),
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
  listWebhooks: route.get('/webhook', {
    access: ADMIN,
    summary: 'Webhooks of the lab, with their last outcome and number of waiting deliveries',
    responses: {
      200: Type.Array(WebhookSchema),
    },
  }),
  createWebhook: route.post('/webhook', {
    access: exceptAgents(ADMIN),
    summary: 'Add a webhook; only this response shows the secret that signs its deliveries',
    body: Type.Object({
      url: WebhookUrl,
      events: Type.Array(EventSchema, { minItems: 1, maxItems: 16 }),
      format: Type.Optional(FormatSchema),
      ...Filters,
    }),
    responses: {
      201: namedObject('CreatedWebhook', {
        ...Webhook,
        secret: Type.String({
          description: 'Signs the deliveries (Standard Webhooks); shown only in this response.',
        }),
      }),
    },
    errors: ['invalid_url', 'unknown_team', 'conflict'],
  }),
  changeWebhook: route.patch('/webhook/:id', {
    access: ADMIN,
    summary: 'Change, pause or resume a webhook; its secret stays the same',
    params: IdParams,
    body: Type.Object({
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(Type.Array(EventSchema, { minItems: 1, maxItems: 16 })),
      format: Type.Optional(FormatSchema),
      ...Filters,
      paused: Type.Optional(Type.Boolean()),
    }),
    responses: { 200: WebhookSchema },
    errors: ['invalid_url', 'unknown_team', 'conflict'],
  }),
  deleteWebhook: route.delete('/webhook/:id', {
    access: ADMIN,
    summary: 'Remove a webhook and its waiting deliveries',
    params: IdParams,
    responses: { 204: null },
  }),
  listDeliveries: route.get('/webhook/:id/deliveries', {
    access: ADMIN,
    summary: 'The newest deliveries of a webhook, at most 50',
    params: IdParams,
    responses: { 200: Type.Array(DeliverySchema) },
  }),
  resendDelivery: route.post('/webhook/:id/deliveries/:deliveryId/resend', {
    access: ADMIN,
    summary: 'Send the event of a delivery again, as a new delivery with its own id',
    params: Type.Object({
      id: Type.String({ description: 'The id of the webhook.' }),
      deliveryId: Type.String({ description: 'The id of the delivery.' }),
    }),
    responses: { 201: DeliverySchema },
    errors: ['conflict'],
  }),
  testWebhook: route.post('/webhook/test', {
    access: ADMIN,
    // An unsaved address has no signing secret, so its test event is signed with a random secret that is then
    // discarded.
    summary: 'Send a test event to the webhook `id` or to the address `url`',
    description: 'The body has either `id` or `url`.',
    body: withRule(
      Type.Object({
        id: Type.Optional(UuidSchema),
        url: Type.Optional(WebhookUrl),
        events: Type.Optional(Type.Array(EventSchema, { maxItems: 16 })),
        format: Type.Optional(FormatSchema),
      }),
      { minProperties: 1, ...when(has('id'), hasNone('url'), has('url')) },
    ),
    responses: { 200: namedObject('WebhookTest', { delivered: Type.Boolean(), ...Outcome }) },
    errors: ['invalid_url', 'not_found', 'overloaded'],
  }),
});
