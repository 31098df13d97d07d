// Webhooks: which events the lab reports to which addresses, and the delivery of these messages.
//
// `WebhookQueue` stores deliveries in the transaction of the change that they report, `WebhookDeliveries` sends them and
// tries again, `WebhookDirectory` is for the Admins who manage webhooks. `messages/` writes the bodies for Slack and Teams.
//
// Not here: the events themselves (device-lab), and which addresses a server may call (outbound).

export { openWebhooks, type Webhooks } from './open.ts';
export {
  type Delivery,
  type DeliveryRecord,
  FINISHED_DELIVERIES,
  type FiledTry,
  type OpenWebhook,
  type Subscription,
  type Webhook,
  type WebhookStore,
} from './webhook.ts';
