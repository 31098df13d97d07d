import type { WebhookEvent, WebhookFailure } from '@svc/contract';

/** How sending a delivery went: `status` of the answer, or why there was none. */
export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: WebhookFailure | null;
}

/** An address of somebody else's that is told of events. Times are ms since 1970. */
export interface Webhook {
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: number;
  /** Account id; the webhook stays when the account goes. */
  readonly createdBy: string | null;
  /**
   * Both are secrets, the path and query of the address too: they are sealed where they are stored, and only `host`
   * is logged. Null: they were sealed with a key that is gone.
   */
  readonly target: { readonly url: string; readonly secret: string } | null;
  /** Host and port of the address, for logs. */
  readonly host: string;
  readonly lastDelivery: (DeliveryOutcome & { readonly at: number }) | null;
}

/** One event on its way to one webhook. */
export interface Delivery {
  /** `webhook-id`, the same on every try. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  /** What is signed and sent: `{"event":…,"payload":…}`. */
  readonly body: string;
  readonly createdAt: number;
  /** Tries that failed. */
  readonly failures: number;
  /** When it is sent next. */
  readonly dueAt: number;
}

/** What became of a try. */
export interface FiledTry {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: number;
  readonly outcome: DeliveryOutcome;
  /** When it is tried again; null: never, it is delivered or given up. */
  readonly retryAt: number | null;
}

/** Where webhooks and their deliveries are kept. Each method is one transaction, or joins the one it is called in. */
export interface WebhookStore {
  /** Oldest first. */
  all(): Webhook[];
  byId(id: string): Webhook | undefined;
  insert(webhook: Webhook & { readonly target: NonNullable<Webhook['target']> }): void;
  /** With its deliveries. False: there was none. */
  remove(id: string): boolean;
  /** Webhooks that want an event, as ids. */
  subscribedTo(event: WebhookEvent): string[];
  /** All or none. Beyond `most` of one webhook its oldest go; answers the ids of webhooks that lost some. */
  enqueue(deliveries: readonly Delivery[], most: number): string[];
  /** How many wait for each webhook that some wait for. */
  pending(): ReadonlyMap<string, number>;
  /** Webhooks with a delivery that is due, as ids. */
  due(now: number): string[];
  /** The delivery of a webhook that is due first. */
  nextOf(webhookId: string, now: number): Delivery | undefined;
  /** No effect on what was removed meanwhile. */
  file(filed: FiledTry): void;
}

/** What is sent to whom. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The network, as webhooks need it. */
export interface WebhookSender {
  /** Rejects with `DestinationNotAllowed`; an address that cannot be resolved now is allowed until it can. */
  check(url: URL): Promise<void>;
  /** Never rejects. Every address is checked again, the one that is connected to. */
  send(delivery: OutgoingDelivery): Promise<DeliveryOutcome>;
}

/** The destination is loopback, link-local, a metadata service or another address webhooks never reach. */
export class DestinationNotAllowed extends Error {}
