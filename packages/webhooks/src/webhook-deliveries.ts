import type { Audit, Clock, Log, Random } from '@svc/auth-core';
import type { DeliveryState } from '@svc/contract';
import { bodyFor } from './messages/body-for.ts';
import type { MessageContext } from './messages/links.ts';
import { retryAt } from './retry-delay.ts';
import { signedHeaders } from './sign-delivery.ts';
import type {
  Delivery,
  DeliveryOutcome,
  DeliveryRecord,
  Webhook,
  WebhookSender,
  WebhookStore,
} from './webhook.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
  readonly messages: MessageContext;
}

/**
 * Maximum number of deliveries that are being sent at the same time. There is room for one of each webhook, and for
 * some of webhooks that were just deleted.
 */
const MOST_AT_ONCE = 64;

/**
 * Sends pending deliveries. The deliveries of one webhook are sent one after the other. A delivery is tried until it
 * gets a 2xx response, or is given up after one day. All tries have the same id. A delivery can arrive twice: if the
 * process is killed before a response is stored, the delivery is sent again.
 */
export class WebhookDeliveries {
  readonly #tools: Tools;
  readonly #underway = new Map<string, Promise<void>>();
  #stopped = false;
  #abandoned = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Sends the deliveries that are due. Called once a second. */
  start(): void {
    const { webhooks, clock, log } = this.#tools;
    if (this.#stopped || this.#underway.size >= MOST_AT_ONCE) return;
    try {
      for (const id of webhooks.due(clock.now())) {
        if (this.#underway.size >= MOST_AT_ONCE) return;
        if (!this.#underway.has(id)) this.#startOne(id);
      }
    } catch (error) {
      log.error('Webhook deliveries cannot be read', { cause: String(error) });
    }
  }

  /** Starts no further deliveries. Resolves when the deliveries in progress have ended and their results are stored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
  }

  /**
   * Called if the server exits before the deliveries in progress have ended. Their results are not stored, so these
   * deliveries are sent again after the next start.
   */
  abandon(): void {
    this.#stopped = true;
    this.#abandoned = true;
  }

  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway.values());
  }

  #startOne(webhookId: string): void {
    const { webhooks, clock } = this.#tools;
    const webhook = webhooks.byId(webhookId);
    const delivery = webhooks.nextOf(webhookId, clock.now());
    if (webhook === undefined || delivery === undefined) return;
    const sending = this.#send(webhook, delivery)
      .then((isDone) => {
        this.#underway.delete(webhookId);
        // After a success, start the webhook's next delivery immediately. After a failure, wait for the next regular
        // start, so that a receiver that is down gets at most one request a second.
        if (isDone) this.start();
      })
      .catch((error) => {
        this.#underway.delete(webhookId);
        this.#tools.log.error('A webhook delivery failed unexpectedly', { cause: String(error) });
      });
    this.#underway.set(webhookId, sending);
  }

  /**
   * Sends a delivery and stores the result.
   * @returns true if the delivery succeeded and its result was stored
   */
  async #send(webhook: Webhook, delivery: Delivery): Promise<boolean> {
    const { sender, clock, log } = this.#tools;
    const outcome = await this.#answerTo(webhook, delivery, sender);
    if (this.#abandoned) return false;
    try {
      this.#file(webhook, delivery, outcome, clock.now());
      return isDelivered(outcome);
    } catch (error) {
      log.error('The result of a webhook delivery could not be stored, so it is sent again', {
        cause: String(error),
      });
      return false;
    }
  }

  async #answerTo(
    { target, format }: Webhook,
    delivery: Delivery,
    sender: WebhookSender,
  ): Promise<DeliveryOutcome> {
    if (target === null) return { status: null, error: 'destination_not_allowed' };
    const body = bodyFor(format, delivery.body, this.#tools.messages);
    const headers = await signedHeaders(target.secret, {
      id: delivery.id,
      at: this.#tools.clock.now(),
      body,
    });
    return sender.send({ url: target.url, headers, body });
  }

  #file(webhook: Webhook, delivery: Delivery, outcome: DeliveryOutcome, now: number): void {
    const { webhooks, random } = this.#tools;
    const { id: deliveryId, createdAt, failures } = delivery;
    const retry = isDelivered(outcome) ? null : retryAt({ createdAt, failures: failures + 1 }, now, random);
    webhooks.file({ deliveryId, webhookId: webhook.id, at: now, outcome, retryAt: retry });
    if (retry === null && !isDelivered(outcome)) this.#givenUp(webhook, delivery, outcome);
  }

  #givenUp(webhook: Webhook, delivery: Delivery, { status, error }: DeliveryOutcome): void {
    const { audit, log } = this.#tools;
    const reason = `${delivery.event} given up after ${delivery.failures + 1} tries: ${error ?? status}`;
    log.warn('A webhook delivery is given up', { webhook: webhook.id, host: webhook.host, reason });
    audit.recordBestEffort('webhook_delivery_failed', { outcome: 'failure', target: webhook.id, reason });
  }
}

/** @returns the state of a delivery, as Admins see it */
export function deliveryState({ isFinished, outcome }: DeliveryRecord): DeliveryState {
  if (!isFinished) return 'waiting';
  return outcome !== null && isDelivered(outcome) ? 'delivered' : 'failed';
}

/** Returns whether a delivery succeeded. Only a 2xx status counts, because redirects are not followed. */
export function isDelivered({ status }: DeliveryOutcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
