import type { Caller } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import { summaryOf } from './messages/body-for.ts';
import type { DeliveryRecord, Webhook } from './webhook.ts';
import { deliveryState } from './webhook-deliveries.ts';
import type { WebhookDirectory, WebhookView } from './webhook-directory.ts';

/** Handlers of the webhooks (contract 2). Only Admins may call them, because the URL of a webhook may be a secret. */
export function webhookHandlers(webhooks: WebhookDirectory): Handlers {
  const authorize = (caller: Caller, { id }: { readonly id: string }) => webhooks.checkKnown(caller, id);
  return {
    listWebhooks: ({ caller }) => webhooks.list(caller).map(viewOf),
    createWebhook: async ({ caller, body }) => {
      const webhook = await webhooks.create(caller, body);
      return { ...describe(webhook), secret: webhook.target.secret };
    },
    changeWebhook: {
      authorize,
      answer: async ({ caller, params, body }) => viewOf(await webhooks.update(caller, params.id, body)),
    },
    deleteWebhook: { authorize, answer: ({ caller, params }) => webhooks.remove(caller, params.id) },
    listDeliveries: {
      authorize,
      answer: ({ caller, params }) => webhooks.deliveries(caller, params.id).map(recordOf),
    },
    resendDelivery: {
      authorize,
      answer: ({ caller, params }) => recordOf(webhooks.resend(caller, params.id, params.deliveryId)),
    },
    testWebhook: ({ caller, body }) => webhooks.test(caller, body),
  };
}

function viewOf({ webhook, pending }: WebhookView) {
  return { ...describe(webhook), lastDelivery: lastDeliveryOf(webhook), pending };
}

function describe({ id, target, events, format, teamId, tag, isPaused, createdAt }: Webhook) {
  const url = target?.url ?? null;
  return { id, url, events, format, teamId, tag, paused: isPaused, createdAt: instant(createdAt) };
}

function lastDeliveryOf({ lastDelivery }: Webhook) {
  if (lastDelivery === null) return null;
  const { at, status, error } = lastDelivery;
  return { at: instant(at), status, error };
}

function recordOf(record: DeliveryRecord) {
  const { id, event, body, createdAt, failures, dueAt, triedAt, outcome } = record;
  const state = deliveryState(record);
  return {
    id,
    event,
    summary: summaryOf(body),
    state,
    createdAt: instant(createdAt),
    tries: failures + (state === 'delivered' ? 1 : 0),
    lastTryAt: instant(triedAt),
    nextTryAt: state === 'waiting' ? instant(dueAt) : null,
    status: outcome?.status ?? null,
    error: outcome?.error ?? null,
  };
}
