/** Events that are sent to webhooks (specification 6). */
export const WEBHOOK_EVENTS = [
  'session_failed',
  'device_offline',
  'device_new',
  'session_passed',
  'device_online',
  'node_offline',
  'lease_ended',
  'token_expiring',
  'queue_long',
  'device_unhealthy',
  'device_healthy',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Event that `POST /webhook/test` sends. Webhooks cannot subscribe to it. */
export const WEBHOOK_TEST_EVENT = 'test';

/**
 * Formats of a delivery's body: `svc` is `{event,payload}` (contract 2), `slack` a message for an incoming webhook of
 * Slack, and `teams` a message with an Adaptive Card for a workflow of Microsoft Teams.
 */
export const WEBHOOK_FORMATS = ['svc', 'slack', 'teams'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** States of a delivery: it waits for its first or next try, it was delivered, or it was given up. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Maximum length of the tag by which a webhook is filtered. It equals the maximum length of a phone's tag. */
export const LONGEST_WEBHOOK_TAG = 64;

/** Prefix of a webhook's signing secret; the secret in base64 follows it (Standard Webhooks). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Headers of a request that delivers an event to a webhook (Standard Webhooks). */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/**
 * Reasons why a delivery got no response. They are coarse, so that webhooks cannot be used to explore a network:
 * `no_response` covers everything from an unknown host name to a server that does not respond in time.
 */
export const WEBHOOK_FAILURES = ['destination_not_allowed', 'certificate_not_valid', 'no_response'] as const;
export type WebhookFailure = (typeof WEBHOOK_FAILURES)[number];
