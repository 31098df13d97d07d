import {
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  type Random,
  Refusal,
  reauthorize,
  type Stores,
} from '@svc/auth-core';
import { ADMIN, type WebhookEvent, type WebhookFormat } from '@svc/contract';
import type { MessageContext } from './messages/links.ts';
import { newWebhookSecret } from './sign-delivery.ts';
import type {
  DeliveryOutcome,
  DeliveryRecord,
  OpenWebhook,
  Webhook,
  WebhookSender,
  WebhookStore,
} from './webhook.ts';
import { allowedAddress } from './webhook-address.ts';
import type { WebhookQueue } from './webhook-queue.ts';
import { type WebhookTestInput, WebhookTests } from './webhook-tests.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly queue: Pick<WebhookQueue, 'again'>;
  readonly sender: WebhookSender;
  readonly stores: Pick<Stores, 'accounts' | 'teams' | 'transaction'>;
  readonly authenticator: { checkStillGood(caller: Caller): void };
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly messages: MessageContext;
}

/** A webhook and the number of its pending deliveries. */
export interface WebhookView {
  readonly webhook: Webhook;
  readonly pending: number;
}

interface Wanted {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format?: WebhookFormat;
  readonly teamId?: string | null;
  readonly tag?: string | null;
}

type Change = Partial<Wanted> & { readonly paused?: boolean };

const MOST_WEBHOOKS = 50;
const MOST_DELIVERIES = 50;

/**
 * Lets Admins list, create, change and remove webhooks. Webhooks belong to the lab and not to an account. If the
 * account that created a webhook is deleted or demoted, the webhook remains, and every Admin may change and remove it.
 */
export class WebhookDirectory {
  readonly #tools: Tools;
  readonly #tests: WebhookTests;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#tests = new WebhookTests(tools);
  }

  list(_caller: Caller): WebhookView[] {
    const { webhooks } = this.#tools;
    const pending = webhooks.pending();
    return webhooks.all().map((webhook) => ({ webhook, pending: pending.get(webhook.id) ?? 0 }));
  }

  /**
   * Creates a webhook. Only this result contains the signing secret, so the Admin sees the secret only once (Standard
   * Webhooks). Rejects with `invalid_url` if the address is invalid, or if the server is not allowed to send webhook
   * requests to it.
   */
  async create(caller: Caller, input: Wanted): Promise<OpenWebhook> {
    const { webhooks, stores, audit, clock, random, sender } = this.#tools;
    const url = await allowedAddress(input.url, sender);
    const webhook: OpenWebhook = {
      id: random.uuid(),
      events: [...new Set(input.events)],
      format: input.format ?? 'svc',
      teamId: this.#team(input.teamId ?? null),
      tag: input.tag?.trim() ?? null,
      isPaused: false,
      createdAt: clock.now(),
      createdBy: caller.account.id,
      target: { url: url.href, secret: newWebhookSecret(random) },
      host: url.host,
      lastDelivery: null,
    };
    stores.transaction((tx) => {
      // The check of the address had to wait for DNS. In the meantime, the caller may have lost the rights, so check
      // them again.
      const maker = reauthorize(caller, ADMIN, this.#tools);
      if (webhooks.all().length >= MOST_WEBHOOKS) throw tooMany();
      webhooks.insert(webhook);
      audit.record(tx, 'webhook_created', {
        ...actorOf(maker),
        target: webhook.id,
        reason: aboutOf(webhook),
      });
    });
    return webhook;
  }

  /**
   * Changes the given fields of a webhook, but not its signing secret. Rejects with `not_found` if the id is unknown,
   * and with `invalid_url` if the new address is invalid or the server is not allowed to send webhook requests to it.
   */
  async update(caller: Caller, id: string, change: Change): Promise<WebhookView> {
    const { webhooks, stores, audit, sender } = this.#tools;
    const url = change.url === undefined ? null : await allowedAddress(change.url, sender);
    stores.transaction((tx) => {
      const editor = reauthorize(caller, ADMIN, this.#tools);
      const webhook = this.#changed(this.#open(id), change, url);
      webhooks.update(webhook);
      const paused = change.paused === undefined ? '' : `${change.paused ? 'paused' : 'resumed'}; `;
      const reason = paused + aboutOf(webhook);
      audit.record(tx, 'webhook_updated', { ...actorOf(editor), target: id, reason });
    });
    return { webhook: this.#known(id), pending: webhooks.pending().get(id) ?? 0 };
  }

  /**
   * Removes a webhook and its deliveries. A delivery that is just being sent can still arrive. Throws `not_found` if
   * the id is unknown.
   */
  remove(caller: Caller, id: string): void {
    const { webhooks, stores, audit } = this.#tools;
    stores.transaction((tx) => {
      const { host } = this.#known(id);
      webhooks.remove(id);
      audit.record(tx, 'webhook_deleted', { ...actorOf(caller), target: id, reason: `to ${host}` });
    });
  }

  /** Checks that a webhook exists. Throws `not_found` if the id is unknown. */
  checkKnown(_caller: Caller, id: string): void {
    this.#known(id);
  }

  /** @returns at most `MOST_DELIVERIES` deliveries of a webhook, newest first */
  deliveries(_caller: Caller, id: string): DeliveryRecord[] {
    return this.#tools.webhooks.deliveriesOf(id, MOST_DELIVERIES);
  }

  /**
   * Sends the event of a finished delivery again, as a new delivery. Throws `not_found` if the delivery is unknown, and
   * `conflict` if it is still pending or if the webhook is paused.
   * @returns the new delivery
   */
  resend(caller: Caller, id: string, deliveryId: string): DeliveryRecord {
    const { webhooks, queue, stores, audit } = this.#tools;
    return stores.transaction((tx) => {
      const delivery = webhooks.delivery(id, deliveryId);
      if (delivery === undefined) throw new Refusal('not_found', 'unknown delivery');
      if (!delivery.isFinished) throw conflict('the delivery is still tried automatically');
      if (this.#known(id).isPaused) throw conflict('the webhook is paused');
      const again = queue.again(delivery);
      const reason = `${delivery.event} of ${new Date(delivery.createdAt).toISOString()}`;
      audit.record(tx, 'webhook_delivery_resent', { ...actorOf(caller), target: id, reason });
      return { ...again, triedAt: null, outcome: null, isFinished: false };
    });
  }

  /** Sends a test event once: to a stored webhook, or to an address that is not stored. */
  test(_caller: Caller, input: WebhookTestInput): Promise<DeliveryOutcome & { readonly delivered: boolean }> {
    return this.#tests.run(input, (id) => this.#known(id));
  }

  #changed(webhook: OpenWebhook, { events, format, teamId, tag, paused }: Change, url: URL | null) {
    return {
      ...webhook,
      ...(url === null ? {} : { host: url.host, target: { ...webhook.target, url: url.href } }),
      ...(events === undefined ? {} : { events: [...new Set(events)] }),
      ...(format === undefined ? {} : { format }),
      ...(teamId === undefined ? {} : { teamId: this.#team(teamId) }),
      ...(tag === undefined ? {} : { tag: tag?.trim() ?? null }),
      ...(paused === undefined ? {} : { isPaused: paused }),
    };
  }

  #team(id: string | null): string | null {
    if (id === null || this.#tools.stores.teams.byId(id) !== undefined) return id;
    throw new Refusal('unknown_team', 'unknown team');
  }

  #known(id: string): Webhook {
    const webhook = this.#tools.webhooks.byId(id);
    if (webhook === undefined) throw new Refusal('not_found', 'unknown webhook');
    return webhook;
  }

  /**
   * Returns a webhook with its decrypted address and secret. Throws `conflict` if the key with which they were
   * encrypted no longer exists.
   */
  #open(id: string): OpenWebhook {
    const { target, ...webhook } = this.#known(id);
    if (target === null) throw conflict('its address cannot be read; delete it and create another one');
    return { ...webhook, target };
  }
}

function aboutOf({ events, host }: Webhook): string {
  return `${events.join(', ')} to ${host}`;
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', message, { message });
}

function tooMany(): Refusal {
  const message = `the lab has ${MOST_WEBHOOKS} webhooks, as many as there can be`;
  return new Refusal('conflict', 'too many webhooks', { message });
}
