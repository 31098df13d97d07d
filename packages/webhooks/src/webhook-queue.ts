import type { Audit, Clock, Log, Random } from '@svc/auth-core';
import { WEBHOOK_EVENTS, type WebhookEvent } from '@svc/contract';
import type { DriverSession, LabEvent } from '@svc/device-lab';
import { type EventScope, isWanted, type ScopeStores, scopeOfEvent, scopeOfSession } from './event-scope.ts';
import { sessionEnded } from './session-ended.ts';
import type { Delivery, WebhookStore } from './webhook.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly stores: ScopeStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
}

/** Maximum number of pending deliveries of one webhook. If there are more, the oldest is removed. */
const MOST_PENDING = 1_000;
/** Maximum length of a delivery's body in characters. If the body of an event is longer, the event is not sent. */
const LONGEST_BODY = 32_768;

/**
 * Stores deliveries for webhooks in the database. Its methods must be called in the transaction that stores the change
 * about which the event informs. Otherwise the process could be killed after the change was stored and before its
 * deliveries were.
 */
export class WebhookQueue {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Adds deliveries for an ended session that failed or passed. Called in the transaction that stores the end of the
   * session.
   */
  sessionEnded(session: DriverSession): void {
    const ended = sessionEnded(session);
    if (ended === undefined) return;
    this.add(ended.event, ended.payload, () => scopeOfSession(session, this.#tools.stores));
  }

  /** Adds deliveries for an event of the lab, unless its type is one for which `isReported` returns false. */
  labEvent(event: LabEvent): void {
    if (!isReported(event.type)) return;
    this.add(event.type, event.payload, () => scopeOfEvent(event, this.#tools.stores));
  }

  /**
   * Adds a delivery of the same event to the same webhook. It gets a new id, because a receiver may ignore a delivery
   * whose id it has already processed.
   */
  again({ webhookId, event, body }: Delivery): Delivery {
    const { webhooks, clock, random } = this.#tools;
    const now = clock.now();
    const id = newDeliveryId(random);
    const delivery = { id, webhookId, event, body, createdAt: now, failures: 0, dueAt: now };
    for (const lost of webhooks.enqueue([delivery], MOST_PENDING)) this.#dropped(lost);
    return delivery;
  }

  /**
   * Adds a delivery for each webhook that is subscribed to the event and whose filters match. `scope` computes the
   * event's teams and tags; it is called only if one of these webhooks has a filter.
   */
  add(event: WebhookEvent, payload: unknown, scope: () => EventScope): void {
    const { webhooks, clock, random, log } = this.#tools;
    const all = webhooks.subscribedTo(event);
    if (all.length === 0) return;
    const isFiltered = all.some(({ teamId, tag }) => teamId !== null || tag !== null);
    const about = isFiltered ? scope() : { teamIds: [], tags: [] };
    const subscribed = all.filter((each) => isWanted(each, about));
    if (subscribed.length === 0) return;
    const body = deliveryBody(event, payload);
    if (body.length > LONGEST_BODY) {
      log.warn('An event is too large for webhooks and is not sent', { event, characters: body.length });
      return;
    }
    const now = clock.now();
    const deliveries = subscribed.map(({ id: webhookId }) => {
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

/**
 * Returns whether `labEvent` adds deliveries for this type of event. It adds none for `session_` events: `sessionEnded`
 * has added them before, in the transaction that stores the end of the session.
 */
function isReported(type: string): type is WebhookEvent {
  return (WEBHOOK_EVENTS as readonly string[]).includes(type) && !type.startsWith('session_');
}

/** @returns the body of a delivery: event and payload as JSON (contract 2) */
export function deliveryBody(event: string, payload: unknown): string {
  return JSON.stringify({ event, payload });
}

export function newDeliveryId(random: Random): string {
  return `msg_${random.uuid()}`;
}
