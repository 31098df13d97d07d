import type { WebhookEvent, WebhookFailure } from '@svc/contract';

/** Result of sending a delivery: the `status` of the response, or why there was none. */
export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: WebhookFailure | null;
}

/** An address outside the lab that receives events. Times are ms since 1970. */
export interface Webhook {
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: number;
  /** Account id. The webhook stays if the account is deleted. */
  readonly createdBy: string | null;
  /**
   * Address and signing secret. Both are secret, because path and query of the address may contain credentials: they
   * are stored encrypted, and only `host` is logged. Null if the key that encrypted them no longer exists.
   */
  readonly target: { readonly url: string; readonly secret: string } | null;
  /** Host and port of the address, for logs. */
  readonly host: string;
  readonly lastDelivery: (DeliveryOutcome & { readonly at: number }) | null;
}

/** One event on its way to one webhook. */
export interface Delivery {
  /** Sent as `webhook-id`, the same on every try. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  /** Signed and sent body: `{"event":…,"payload":…}`. */
  readonly body: string;
  readonly createdAt: number;
  /** Number of failed tries. */
  readonly failures: number;
  /** Time of the next try. */
  readonly dueAt: number;
}

/** Result of a try. */
export interface FiledTry {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: number;
  readonly outcome: DeliveryOutcome;
  /** Time of the next try, or null if it was delivered or given up. */
  readonly retryAt: number | null;
}

/** Stores webhooks and their deliveries. Each method is one transaction, or part of the one it is called in. */
export interface WebhookStore {
  /** Oldest first. */
  all(): Webhook[];
  byId(id: string): Webhook | undefined;
  insert(webhook: Webhook & { readonly target: NonNullable<Webhook['target']> }): void;
  /**
   * Removes a webhook with its deliveries.
   * @returns false if it does not exist
   */
  remove(id: string): boolean;
  /** @returns the ids of webhooks that subscribed to an event */
  subscribedTo(event: WebhookEvent): string[];
  /**
   * Adds all or none. If a webhook has more than `most`, its oldest ones are removed.
   * @returns the ids of webhooks that lost deliveries
   */
  enqueue(deliveries: readonly Delivery[], most: number): string[];
  /** @returns the number of pending deliveries of each webhook that has some */
  pending(): ReadonlyMap<string, number>;
  /** @returns the ids of webhooks with a delivery that is due */
  due(now: number): string[];
  /** @returns the delivery of a webhook that has been due for the longest time */
  nextOf(webhookId: string, now: number): Delivery | undefined;
  /** Records a try. Has no effect if the delivery was removed meanwhile. */
  file(filed: FiledTry): void;
}

/** A request to a webhook. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends webhook requests over the network. */
export interface WebhookSender {
  /** Rejects with `DestinationNotAllowed`. An address that cannot be resolved is allowed until it can be. */
  check(url: URL): Promise<void>;
  /** Never rejects. Checks each address again before connecting to it. */
  send(delivery: OutgoingDelivery): Promise<DeliveryOutcome>;
}

/** The destination is loopback, link-local, a metadata service or another address webhooks never reach. */
export class DestinationNotAllowed extends Error {}
