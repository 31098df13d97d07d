import type { WebhookEvent, WebhookFailure, WebhookFormat } from '@svc/contract';

/** Result of sending a delivery: the HTTP status of the response, or the reason why there was no response. */
export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: WebhookFailure | null;
}

/** A subscription to events, which are sent to an address outside the lab. Times are in ms since 1970. */
export interface Webhook {
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  /** Id of the team whose events the webhook gets, or null for the events of all teams. */
  readonly teamId: string | null;
  /** Tag that a phone or a session must have, or null for events with any tags. */
  readonly tag: string | null;
  /** Whether the webhook gets no new events and its pending deliveries wait. */
  readonly isPaused: boolean;
  readonly createdAt: number;
  /** Id of the account that created the webhook. The webhook is not deleted with the account. */
  readonly createdBy: string | null;
  /**
   * Address and signing secret. Both are stored encrypted, and only `host` is logged, because path and query of the
   * address may contain credentials. Null if the key that encrypted them no longer exists.
   */
  readonly target: { readonly url: string; readonly secret: string } | null;
  /** Host and port of the address, which may be logged. */
  readonly host: string;
  readonly lastDelivery: (DeliveryOutcome & { readonly at: number }) | null;
}

/** A webhook whose address and secret can be read. */
export type OpenWebhook = Webhook & { readonly target: NonNullable<Webhook['target']> };

/** Filters of a webhook that subscribed to an event. */
export type Subscription = Pick<Webhook, 'id' | 'teamId' | 'tag'>;

/** One event that is sent to one webhook. */
export interface Delivery {
  /** Id of the delivery. It is sent in the header `webhook-id` and is the same on every try. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  /** Event and payload as `{"event":…,"payload":…}`. It is sent unchanged, or in the format of the webhook. */
  readonly body: string;
  readonly createdAt: number;
  /** Number of failed tries to send the delivery. */
  readonly failures: number;
  /** Time of the next try to send the delivery. */
  readonly dueAt: number;
}

/** A delivery with its last result, whether it is pending or finished. */
export interface DeliveryRecord extends Delivery {
  /** Time of the last try, or null if there was none. */
  readonly triedAt: number | null;
  /** Result of the last try, or null if there was none. */
  readonly outcome: DeliveryOutcome | null;
  /** Whether no further try follows, because the delivery succeeded or was given up. */
  readonly isFinished: boolean;
}

/** Result of one try to send a delivery. */
export interface FiledTry {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: number;
  readonly outcome: DeliveryOutcome;
  /** Time of the next try, or null if the event was delivered or the delivery was given up. */
  readonly retryAt: number | null;
}

/**
 * Stores webhooks and their deliveries. Each method runs in a transaction of its own, or in the transaction in which it
 * is called.
 */
export interface WebhookStore {
  /** Returns all webhooks, oldest first. */
  all(): Webhook[];
  byId(id: string): Webhook | undefined;
  insert(webhook: OpenWebhook): void;
  /** Replaces the fields that an Admin can change. Changing an unknown webhook has no effect. */
  update(webhook: OpenWebhook): void;
  /**
   * Removes a webhook with its deliveries.
   * @returns false if the webhook does not exist
   */
  remove(id: string): boolean;
  /** @returns the webhooks that subscribed to an event and are not paused, oldest first */
  subscribedTo(event: WebhookEvent): Subscription[];
  /**
   * Adds deliveries, either all or none. If a webhook then has more than `most` pending deliveries, its oldest ones are
   * removed.
   * @returns the ids of webhooks that lost deliveries
   */
  enqueue(deliveries: readonly Delivery[], most: number): string[];
  /** @returns the number of pending deliveries of each webhook that has pending deliveries */
  pending(): ReadonlyMap<string, number>;
  /** @returns the ids of the webhooks that are not paused and have a delivery that is due */
  due(now: number): string[];
  /** @returns the delivery of a webhook that has been due for the longest time, or undefined if none is due */
  nextOf(webhookId: string, now: number): Delivery | undefined;
  /**
   * Records the result of a try. Of the finished deliveries of a webhook, only the `FINISHED_DELIVERIES` that finished
   * last are stored. Has no effect if the delivery was removed meanwhile.
   */
  file(filed: FiledTry): void;
  /** @returns the `most` newest deliveries of a webhook, newest first */
  deliveriesOf(webhookId: string, most: number): DeliveryRecord[];
  delivery(webhookId: string, id: string): DeliveryRecord | undefined;
}

/** Maximum number of finished deliveries that are stored for each webhook. */
export const FINISHED_DELIVERIES = 20;

/** An HTTP request to a webhook. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends webhook requests over the network. */
export interface WebhookSender {
  /**
   * Checks whether webhooks are allowed to reach an address. Rejects with `DestinationNotAllowed` if not. An address
   * whose host name cannot be resolved passes, because `send` checks it again.
   */
  check(url: URL): Promise<void>;
  /**
   * Sends a request. Never rejects. Checks each IP address again before connecting to it, because the host name may
   * resolve to another address than before.
   */
  send(delivery: OutgoingDelivery): Promise<DeliveryOutcome>;
}

/**
 * Thrown if the destination is loopback, link-local, a metadata service or another address that webhooks must not
 * reach.
 */
export class DestinationNotAllowed extends Error {}
