/** Events that are sent to webhooks (specification 6). */
export const WEBHOOK_EVENTS = ['session_failed', 'device_offline', 'device_new'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The event that `POST /webhook/test` sends; no webhook subscribes to it. */
export const WEBHOOK_TEST_EVENT = 'test';

/** Prefix of a signing secret, before its base64 (Standard Webhooks). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Headers of a delivery (Standard Webhooks). */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/**
 * Why a delivery got no response. The reasons are coarse so that webhooks cannot map a network: `no_response` covers
 * everything from an unknown name to a server that does not respond in time.
 */
export const WEBHOOK_FAILURES = ['destination_not_allowed', 'certificate_not_valid', 'no_response'] as const;
export type WebhookFailure = (typeof WEBHOOK_FAILURES)[number];
