import type { Audit, Clock, Log, Random } from '@svc/auth-core';
import type { WebhookEvent } from '@svc/contract';
import type { DriverSession } from '../driver-session.ts';
import { sessionFailed } from './session-failed.ts';
import type { WebhookStore } from './webhook.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
}

/** Maximum number of pending deliveries of one webhook. Beyond it, the oldest is dropped. */
const MOST_PENDING = 1_000;
/** Maximum length of a body in characters. An event with a longer body is not sent. */
const LONGEST_BODY = 32_768;

/**
 * Stores deliveries for webhooks as database rows. Write them in the transaction of the change that they report, so
 * that none is lost when the process ends.
 */
export class WebhookQueue {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Adds deliveries for a session that ended with a failure. Called in the transaction that stores the end of the
   * session.
   */
  sessionEnded(session: DriverSession): void {
    const payload = sessionFailed(session);
    if (payload !== undefined) this.add('session_failed', payload);
  }

  /** Adds one delivery, with a unique id, for each webhook that subscribed to the event. */
  add(event: WebhookEvent, payload: unknown): void {
    const { webhooks, clock, random, log } = this.#tools;
    const subscribed = webhooks.subscribedTo(event);
    if (subscribed.length === 0) return;
    const body = deliveryBody(event, payload);
    if (body.length > LONGEST_BODY) {
      log.warn('An event is too large for webhooks and is not sent', { event, characters: body.length });
      return;
    }
    const now = clock.now();
    const deliveries = subscribed.map((webhookId) => {
      const id = newDeliveryId(random);
      return { id, webhookId, event, body, createdAt: now, failures: 0, dueAt: now };
    });
    for (const webhookId of webhooks.enqueue(deliveries, MOST_PENDING)) this.#dropped(webhookId);
  }

  #dropped(webhookId: string): void {
    const { audit, log } = this.#tools;
    log.warn('Too many deliveries wait for a webhook; the oldest is dropped', { webhook: webhookId });
    const reason = `more than ${MOST_PENDING} deliveries wait; the oldest is dropped`;
    audit.recordBestEffort('webhook_delivery_dropped', { outcome: 'failure', target: webhookId, reason });
  }
}

/** @returns the body of a delivery (contract 2) */
export function deliveryBody(event: string, payload: unknown): string {
  return JSON.stringify({ event, payload });
}

export function newDeliveryId(random: Random): string {
  return `msg_${random.uuid()}`;
}
