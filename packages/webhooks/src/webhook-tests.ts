import { type Clock, type Random, Refusal } from '@svc/auth-core';
import { WEBHOOK_TEST_EVENT, type WebhookFormat } from '@svc/contract';
import { bodyFor } from './messages/body-for.ts';
import type { MessageContext } from './messages/links.ts';
import { newWebhookSecret, signedHeaders } from './sign-delivery.ts';
import type { DeliveryOutcome, Webhook, WebhookSender } from './webhook.ts';
import { allowedAddress } from './webhook-address.ts';
import { isDelivered } from './webhook-deliveries.ts';
import { deliveryBody, newDeliveryId } from './webhook-queue.ts';

interface Tools {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly messages: MessageContext;
}

/** What to test: the id of a stored webhook, or an address. `format` is the format of the test event. */
export interface WebhookTestInput {
  readonly id?: string;
  readonly url?: string;
  readonly format?: WebhookFormat;
}

/** Maximum number of tests in progress at the same time. */
const MOST_TESTS = 4;

/** Sends test events to stored webhooks, and to addresses that an Admin tries before creating a webhook. */
export class WebhookTests {
  readonly #tools: Tools;
  #underway = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Sends a test event once, after the same checks of the address as for a delivery. The request to a stored webhook is
   * signed with the webhook's secret. An address without a webhook has no secret, so the request is signed with a
   * random one.
   */
  async run(
    input: WebhookTestInput,
    known: (id: string) => Webhook,
  ): Promise<DeliveryOutcome & { readonly delivered: boolean }> {
    const { url, secret, format } = await this.#tested(input, known);
    if (this.#underway >= MOST_TESTS) throw new Refusal('overloaded', 'too many webhook tests at once');
    this.#underway += 1;
    try {
      const outcome = await this.#send({ url, secret }, format);
      return { delivered: isDelivered(outcome), ...outcome };
    } finally {
      this.#underway -= 1;
    }
  }

  async #send(
    { url, secret }: NonNullable<Webhook['target']>,
    format: WebhookFormat,
  ): Promise<DeliveryOutcome> {
    const { sender, clock, random } = this.#tools;
    const at = clock.now();
    const id = newDeliveryId(random);
    const sentAt = new Date(at).toISOString();
    const event = deliveryBody(WEBHOOK_TEST_EVENT, { message: 'A test of this webhook', sentAt });
    const body = bodyFor(format, event, this.#tools.messages);
    return sender.send({ url, headers: await signedHeaders(secret, { id, at, body }), body });
  }

  async #tested({ id, url, format }: WebhookTestInput, known: (id: string) => Webhook) {
    const { sender, random } = this.#tools;
    if ((id === undefined) === (url === undefined)) {
      throw new Refusal('bad_request', 'id and url', { message: 'name either id or url' });
    }
    if (url !== undefined) {
      const { href } = await allowedAddress(url, sender);
      return { url: href, secret: newWebhookSecret(random), format: format ?? 'svc' };
    }
    const webhook = known(id as string);
    if (webhook.target === null) throw new Refusal('not_found', 'sealed with a key that is gone');
    return { ...webhook.target, format: format ?? webhook.format };
  }
}
