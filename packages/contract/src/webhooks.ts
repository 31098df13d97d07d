/** What webhooks tell of (specification 6). */
export const WEBHOOK_EVENTS = ['session_failed', 'device_offline', 'device_new'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The event of `POST /webhook/test`; no webhook is made for it. */
export const WEBHOOK_TEST_EVENT = 'test';

/** In front of the base64 of a signing secret (Standard Webhooks). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Headers of a delivery (Standard Webhooks). */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/**
 * Why a delivery got no answer. Coarse, so that webhooks do not map a network: everything between an unknown name and
 * a server that does not answer in time is `no_response`.
 */
export const WEBHOOK_FAILURES = ['destination_not_allowed', 'certificate_not_valid', 'no_response'] as const;
export type WebhookFailure = (typeof WEBHOOK_FAILURES)[number];
