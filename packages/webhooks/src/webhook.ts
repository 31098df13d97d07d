import type { WebhookEvent, WebhookFailure, WebhookFormat } from '@svc/contract';

/**
 * Result of one try to send a delivery. `status` is the HTTP status of the response, or null if there was none; `error`
 * then tells why.
 */
export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: WebhookFailure | null;
}

/** A subscription of an address outside the lab: events are sent to this address. Times are in ms since 1970. */
export interface Webhook {
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  /** Id of a team: the webhook gets only events of its members and phones. Null for the events of all teams. */
  readonly teamId: string | null;
  /** A tag: the webhook gets only events of phones and sessions that have it. Null if the tags do not matter. */
  readonly tag: string | null;
  /** If true, the webhook gets no new events, and its pending deliveries are not sent. */
  readonly isPaused: boolean;
  readonly createdAt: number;
  /** Id of the account that created the webhook. The webhook remains if this account is deleted. */
  readonly createdBy: string | null;
  /**
   * Address and signing secret, which are stored encrypted. The address is not logged (`host` is), because its path and
   * query may contain credentials. Null if the key with which address and secret were encrypted no longer exists.
   */
  readonly target: { readonly url: string; readonly secret: string } | null;
  /** Host and port of the address. Contains no credentials, so it can be logged. */
  readonly host: string;
  readonly lastDelivery: (DeliveryOutcome & { readonly at: number }) | null;
}

/** A webhook whose address and secret could be decrypted. */
export type OpenWebhook = Webhook & { readonly target: NonNullable<Webhook['target']> };

/** Id and filters of a webhook that is subscribed to an event. */
export type Subscription = Pick<Webhook, 'id' | 'teamId' | 'tag'>;

/** An event that is to be sent to one webhook. */
export interface Delivery {
  /** Id of the delivery, which is sent in the header `webhook-id`. It is the same for every try. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: WebhookEvent;
  /**
   * Event and payload as JSON: `{"event":…,"payload":…}`. For a webhook in the format of Slack or Teams, the body is
   * converted before it is sent.
   */
  readonly body: string;
  readonly createdAt: number;
  /** Number of tries that have failed. */
  readonly failures: number;
  /** Time (ms since 1970) at which the next try is due. */
  readonly dueAt: number;
}

/** A delivery, pending or finished, with the result of its last try. */
export interface DeliveryRecord extends Delivery {
  /** Time of the last try, or null if there was none. */
  readonly triedAt: number | null;
  /** Result of the last try, or null if there was none. */
  readonly outcome: DeliveryOutcome | null;
  /** Whether no further try follows, because the delivery succeeded or was given up. */
  readonly isFinished: boolean;
}

/** The result of one try to send a delivery, as it is to be stored. */
export interface FiledTry {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: number;
  readonly outcome: DeliveryOutcome;
  /** Time of the next try, or null if the event was delivered or the delivery was given up. */
  readonly retryAt: number | null;
}

/**
 * Stores webhooks and their deliveries. If a method is called within a transaction, it is part of this transaction.
 * Otherwise it has its own.
 */
export interface WebhookStore {
  /** Returns all webhooks, oldest first. */
  all(): Webhook[];
  byId(id: string): Webhook | undefined;
  insert(webhook: OpenWebhook): void;
  /** Replaces the fields that an Admin can change. Has no effect if the webhook is unknown. */
  update(webhook: OpenWebhook): void;
  /**
   * Removes a webhook with its deliveries.
   * @returns false if the webhook does not exist
   */
  remove(id: string): boolean;
  /** @returns the webhooks that are subscribed to an event and not paused, oldest first */
  subscribedTo(event: WebhookEvent): Subscription[];
  /**
   * Adds all of these deliveries in one transaction. If a webhook then has more than `most` pending deliveries, the
   * oldest of them are removed.
   * @returns the ids of the webhooks of which deliveries were removed
   */
  enqueue(deliveries: readonly Delivery[], most: number): string[];
  /** @returns the number of pending deliveries by webhook id. Webhooks without pending deliveries are left out. */
  pending(): ReadonlyMap<string, number>;
  /** @returns the ids of the webhooks that are not paused and have a delivery that is due at `now` (ms since 1970) */
  due(now: number): string[];
  /** @returns the delivery of a webhook that became due first, or undefined if none is due at `now` (ms since 1970) */
  nextOf(webhookId: string, now: number): Delivery | undefined;
  /**
   * Stores the result of a try. Of each webhook's finished deliveries, only the last `FINISHED_DELIVERIES` are kept.
   * Has no effect if the delivery has been removed in the meantime.
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
   * Rejects with `DestinationNotAllowed` if the server is not allowed to send webhook requests to an address. If the
   * host name cannot be resolved, the check passes, because `send` checks the IP address again.
   */
  check(url: URL): Promise<void>;
  /**
   * Sends a request. Never rejects. Checks the IP address of each connection, because the host name may now resolve to
   * another IP address than at the time of `check`.
   */
  send(delivery: OutgoingDelivery): Promise<DeliveryOutcome>;
}

/**
 * Thrown if the server must not send webhook requests to an address, such as a loopback or link-local address or a
 * metadata service.
 */
export class DestinationNotAllowed extends Error {}
