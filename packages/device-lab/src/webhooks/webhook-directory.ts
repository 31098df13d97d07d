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
import { ADMIN, WEBHOOK_TEST_EVENT, type WebhookEvent } from '@svc/contract';
import { newWebhookSecret, signedHeaders } from './sign-delivery.ts';
import {
  type DeliveryOutcome,
  DestinationNotAllowed,
  type Webhook,
  type WebhookSender,
  type WebhookStore,
} from './webhook.ts';
import { isDelivered } from './webhook-deliveries.ts';
import { deliveryBody, newDeliveryId } from './webhook-queue.ts';

interface Tools {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly stores: Pick<Stores, 'accounts' | 'transaction'>;
  readonly authenticator: { checkStillGood(caller: Caller): void };
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
}

const MOST_WEBHOOKS = 50;
const LONGEST_URL = 2_048;
/** Maximum number of tests in progress at the same time. */
const MOST_TESTS = 4;

/**
 * Lets Admins list, create and remove webhooks. Webhooks belong to the lab and not to an account. If the account that
 * created a webhook is deleted or demoted, the webhook remains, and every Admin may remove it.
 */
export class WebhookDirectory {
  readonly #tools: Tools;
  #tests = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(_caller: Caller): { readonly webhook: Webhook; readonly pending: number }[] {
    const { webhooks } = this.#tools;
    const pending = webhooks.pending();
    return webhooks.all().map((webhook) => ({ webhook, pending: pending.get(webhook.id) ?? 0 }));
  }

  /**
   * Creates a webhook. Only this result contains the signing secret, so that the secret is shown once (Standard
   * Webhooks). Rejects with `invalid_url` if the address is invalid or may not be reached.
   */
  async create(
    caller: Caller,
    input: { readonly url: string; readonly events: readonly WebhookEvent[] },
  ): Promise<Webhook & { readonly target: { readonly url: string; readonly secret: string } }> {
    const { webhooks, stores, audit, clock, random } = this.#tools;
    const url = await this.#allowed(input.url);
    const webhook = {
      id: random.uuid(),
      events: [...new Set(input.events)],
      createdAt: clock.now(),
      createdBy: caller.account.id,
      target: { url: url.href, secret: newWebhookSecret(random) },
      host: url.host,
      lastDelivery: null,
    };
    stores.transaction((tx) => {
      // Check the right of the caller again, because it may have ended while the name of the host was resolved.
      const maker = reauthorize(caller, ADMIN, this.#tools);
      if (webhooks.all().length >= MOST_WEBHOOKS) throw tooMany();
      webhooks.insert(webhook);
      const reason = `${webhook.events.join(', ')} to ${webhook.host}`;
      audit.record(tx, 'webhook_created', { ...actorOf(maker), target: webhook.id, reason });
    });
    return webhook;
  }

  /**
   * Removes a webhook with its pending deliveries. A delivery in progress may still arrive. Throws `not_found` if the
   * id is unknown.
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

  /**
   * Sends a test event once, with the same checks as a delivery. For a saved webhook, the request is signed with its
   * secret. An address that is not saved yet has no secret, so the request is signed with a random one.
   */
  async test(
    _caller: Caller,
    input: { readonly id?: string; readonly url?: string },
  ): Promise<DeliveryOutcome & { readonly delivered: boolean }> {
    const { url, secret } = await this.#tested(input);
    if (this.#tests >= MOST_TESTS) throw new Refusal('overloaded', 'too many webhook tests at once');
    this.#tests += 1;
    try {
      const outcome = await this.#sendTest(url, secret);
      return { delivered: isDelivered(outcome), ...outcome };
    } finally {
      this.#tests -= 1;
    }
  }

  async #sendTest(url: string, secret: string): Promise<DeliveryOutcome> {
    const { sender, clock, random } = this.#tools;
    const at = clock.now();
    const id = newDeliveryId(random);
    const sentAt = new Date(at).toISOString();
    const body = deliveryBody(WEBHOOK_TEST_EVENT, { message: 'A test of this webhook', sentAt });
    return sender.send({ url, headers: await signedHeaders(secret, { id, at, body }), body });
  }

  async #tested({ id, url }: { readonly id?: string; readonly url?: string }) {
    if ((id === undefined) === (url === undefined)) {
      throw new Refusal('bad_request', 'id and url', { message: 'name either id or url' });
    }
    if (url !== undefined) {
      return { url: (await this.#allowed(url)).href, secret: newWebhookSecret(this.#tools.random) };
    }
    const { target } = this.#known(id as string);
    if (target === null) throw new Refusal('not_found', 'sealed with a key that is gone');
    return target;
  }

  #known(id: string): Webhook {
    const webhook = this.#tools.webhooks.byId(id);
    if (webhook === undefined) throw new Refusal('not_found', 'unknown webhook');
    return webhook;
  }

  async #allowed(text: string): Promise<URL> {
    const url = webhookUrl(text);
    try {
      await this.#tools.sender.check(url);
    } catch (error) {
      if (!(error instanceof DestinationNotAllowed)) throw error;
      throw invalidUrl('url: webhooks may not reach this address');
    }
    return url;
  }
}

/** Parses an http or https address. Throws `invalid_url` if it is too long or contains a user name or password. */
function webhookUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw invalidUrl(`url: is longer than ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalidUrl('url: is no http or https address');
  }
  if (url.username !== '' || url.password !== '') throw invalidUrl('url: may have no user name or password');
  if (url.href.length > LONGEST_URL) throw invalidUrl(`url: is longer than ${LONGEST_URL} characters`);
  // Remove the fragment, because HTTP never sends it.
  url.hash = '';
  return url;
}

function invalidUrl(message: string): Refusal {
  return new Refusal('invalid_url', message, { message });
}

function tooMany(): Refusal {
  const message = `the lab has ${MOST_WEBHOOKS} webhooks, as many as there can be`;
  return new Refusal('conflict', 'too many webhooks', { message });
}
