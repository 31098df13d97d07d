import type { Audit, Clock, Log, Random } from '@svc/auth-core';
import { WEBHOOK_EVENTS, type WebhookEvent } from '@svc/contract';
import type { DriverSession } from '../driver-session.ts';
import type { LabEvent } from '../events/lab-events.ts';
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

/** Maximum number of pending deliveries of one webhook. Beyond it, the oldest is dropped. */
const MOST_PENDING = 1_000;
/** Maximum length of a body in characters. An event with a longer body is not sent. */
const LONGEST_BODY = 32_768;

/**
 * Stores deliveries for webhooks as database rows. Call the methods in the transaction that stores the reported change,
 * so that no delivery is lost if the process is killed.
 */
export class WebhookQueue {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Adds deliveries for a session that failed or passed. Called in the transaction that stores the end of the session.
   */
  sessionEnded(session: DriverSession): void {
    const ended = sessionEnded(session);
    if (ended === undefined) return;
    this.add(ended.event, ended.payload, () => scopeOfSession(session, this.#tools.stores));
  }

  /** Adds deliveries for an event of the lab if webhooks can subscribe to it. */
  labEvent(event: LabEvent): void {
    if (!isReported(event.type)) return;
    this.add(event.type, event.payload, () => scopeOfEvent(event, this.#tools.stores));
  }

  /**
   * Adds a delivery of the same event to the same webhook, with a new id, so that a receiver that ignores known ids
   * processes it.
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
   * Adds one delivery, with a unique id, for each webhook that subscribed to the event. `scope` is called only if one
   * of them has a filter.
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
 * Returns whether `labEvent` adds deliveries for events of this type. It adds none for session events, because
 * `sessionEnded` adds the deliveries about the end of a session, in the transaction that stores this end.
 */
function isReported(type: string): type is WebhookEvent {
  return (WEBHOOK_EVENTS as readonly string[]).includes(type) && !type.startsWith('session_');
}

/** @returns the body of a delivery (contract 2) */
export function deliveryBody(event: string, payload: unknown): string {
  return JSON.stringify({ event, payload });
}

export function newDeliveryId(random: Random): string {
  return `msg_${random.uuid()}`;
}
