/** Events that are sent to webhooks (specification 6). */
export const WEBHOOK_EVENTS = ['session_failed', 'device_offline', 'device_new'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Event that `POST /webhook/test` sends. Webhooks cannot subscribe to it. */
export const WEBHOOK_TEST_EVENT = 'test';

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
