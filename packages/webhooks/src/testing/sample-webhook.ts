import type { Delivery, Webhook } from '../webhook.ts';

/** @returns a webhook that is subscribed to every event and that has not received any */
export function sampleWebhook(
  id: string,
  change: Partial<Webhook> = {},
): Webhook & { target: NonNullable<Webhook['target']> } {
  return {
    id,
    events: ['session_failed', 'device_offline', 'device_new'],
    format: 'svc',
    teamId: null,
    tag: null,
    isPaused: false,
    createdAt: 1_000,
    createdBy: 'ana',
    host: 'hooks.test',
    lastDelivery: null,
    ...change,
    target: change.target ?? {
      url: `https://hooks.test/${id}`,
      secret: `whsec_${btoa('0123456789'.repeat(3))}`,
    },
  };
}

export function sampleDelivery(id: string, webhookId: string, change: Partial<Delivery> = {}): Delivery {
  return {
    id,
    webhookId,
    event: 'session_failed',
    body: '{"event":"session_failed","payload":{}}',
    createdAt: 2_000,
    failures: 0,
    dueAt: 2_000,
    ...change,
  };
}
