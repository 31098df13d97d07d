import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { type DeliveryRecord, deliveryState, summaryOf, type Webhook, type WebhookView } from '@svc/webhooks';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { instant } from '../wire/instant.ts';

/**
 * Registers the routes for webhooks (contract 2). Only Admins may call them, because the URL of a webhook may be a
 * secret.
 */
export function webhookRoutes(api: App, { services: { webhooks } }: HttpContext): void {
  const known = {
    authorizeResource: (caller: Caller, { id }: { readonly id: string }) => webhooks.checkKnown(caller, id),
  };

  handle(api, routes.listWebhooks, ({ caller }) => webhooks.list(caller).map(viewOf));

  handle(api, routes.createWebhook, async ({ caller, body }) => {
    const webhook = await webhooks.create(caller, body);
    return { ...describe(webhook), secret: webhook.target.secret };
  });

  handle(
    api,
    routes.changeWebhook,
    async ({ caller, params, body }) => viewOf(await webhooks.update(caller, params.id, body)),
    known,
  );

  handle(api, routes.deleteWebhook, ({ caller, params }) => webhooks.remove(caller, params.id), known);

  handle(
    api,
    routes.listDeliveries,
    ({ caller, params }) => webhooks.deliveries(caller, params.id).map(recordOf),
    known,
  );

  handle(
    api,
    routes.resendDelivery,
    ({ caller, params }) => recordOf(webhooks.resend(caller, params.id, params.deliveryId)),
    known,
  );

  handle(api, routes.testWebhook, ({ caller, body }) => webhooks.test(caller, body));
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
