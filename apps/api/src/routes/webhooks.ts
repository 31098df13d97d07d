import { routes } from '@svc/contract';
import type { Webhook } from '@svc/device-lab';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { instant } from '../wire/instant.ts';

/**
 * Registers the routes for webhooks (contract 2). Only Admins may call them, because the URL of a webhook may be a
 * secret.
 */
export function webhookRoutes(api: App, { services: { webhooks } }: HttpContext): void {
  handle(api, routes.listWebhooks, ({ caller }) =>
    webhooks.list(caller).map(({ webhook, pending }) => ({
      ...describe(webhook),
      lastDelivery: lastDeliveryOf(webhook),
      pending,
    })),
  );

  handle(api, routes.createWebhook, async ({ caller, body }) => {
    const webhook = await webhooks.create(caller, body);
    return { ...describe(webhook), secret: webhook.target.secret };
  });

  handle(api, routes.deleteWebhook, ({ caller, params }) => webhooks.remove(caller, params.id), {
    authorizeResource: (caller, { id }) => webhooks.checkKnown(caller, id),
  });

  handle(api, routes.testWebhook, ({ caller, body }) => webhooks.test(caller, body));
}

function describe({ id, target, events, createdAt }: Webhook) {
  return { id, url: target?.url ?? null, events, createdAt: instant(createdAt) };
}

function lastDeliveryOf({ lastDelivery }: Webhook) {
  if (lastDelivery === null) return null;
  const { at, status, error } = lastDelivery;
  return { at: instant(at), status, error };
}
