import type { Audit, Clock, Log, Random } from '@svc/auth-core';
import { retryAt } from './retry-delay.ts';
import { signedHeaders } from './sign-delivery.ts';
import type { Delivery, DeliveryOutcome, Webhook, WebhookSender, WebhookStore } from './webhook.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
}

/** Deliveries on their way at once. One for each webhook there can be, and some for webhooks just deleted. */
const MOST_AT_ONCE = 64;

/**
 * Sends what waits: at least once, with the same id on every try, each webhook's one after the other. A row is removed when its delivery was answered with
 * 2xx, or given up after a day; a process that is killed in between sends it again.
 */
export class WebhookDeliveries {
  readonly #tools: Tools;
  readonly #underway = new Map<string, Promise<void>>();
  #stopped = false;
  #abandoned = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Starts what is due. Call it once a second. */
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

  /** Starts nothing more; settles when what is on its way is answered and filed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
  }

  /** Files nothing more: what is on its way now is sent again after the next start. */
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
        // After a failure the next one waits for the timer: a receiver that is down costs a try a second.
        if (isDone) this.start();
      })
      .catch((error) => {
        this.#underway.delete(webhookId);
        this.#tools.log.error('A webhook delivery ended with trouble', { cause: String(error) });
      });
    this.#underway.set(webhookId, sending);
  }

  /** True: delivered, and the row is gone. */
  async #send(webhook: Webhook, delivery: Delivery): Promise<boolean> {
    const { sender, clock, log } = this.#tools;
    const outcome = await this.#answerTo(webhook, delivery, sender);
    if (this.#abandoned) return false;
    try {
      this.#file(webhook, delivery, outcome, clock.now());
      return isDelivered(outcome);
    } catch (error) {
      log.error('A webhook delivery could not be filed and is repeated', { cause: String(error) });
      return false;
    }
  }

  async #answerTo(
    { target }: Webhook,
    { id, body }: Delivery,
    sender: WebhookSender,
  ): Promise<DeliveryOutcome> {
    if (target === null) return { status: null, error: 'destination_not_allowed' };
    const headers = await signedHeaders(target.secret, { id, at: this.#tools.clock.now(), body });
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

/** Redirects are not followed, so only 2xx is an answer. */
export function isDelivered({ status }: DeliveryOutcome): boolean {
  return status !== null && status >= 200 && status < 300;
}
