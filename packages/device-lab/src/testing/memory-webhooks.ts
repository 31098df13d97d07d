import type { Delivery, FiledTry, Webhook, WebhookStore } from '../webhooks/webhook.ts';

/** Store of webhooks in memory, for tests. If `failing` is set, every write throws this error. */
export class MemoryWebhooks implements WebhookStore {
  readonly webhooks = new Map<string, Webhook>();
  deliveries: Delivery[] = [];
  failing: Error | null = null;

  all(): Webhook[] {
    return [...this.webhooks.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  byId(id: string): Webhook | undefined {
    return this.webhooks.get(id);
  }

  insert(webhook: Webhook): void {
    this.#write();
    this.webhooks.set(webhook.id, webhook);
  }

  remove(id: string): boolean {
    this.#write();
    this.deliveries = this.deliveries.filter(({ webhookId }) => webhookId !== id);
    return this.webhooks.delete(id);
  }

  subscribedTo(event: string): string[] {
    return this.all()
      .filter(({ events }) => events.some((each) => each === event))
      .map(({ id }) => id);
  }

  enqueue(deliveries: readonly Delivery[], most: number): string[] {
    this.#write();
    const ids = [...this.deliveries, ...deliveries].map(({ id }) => id);
    if (new Set(ids).size < ids.length) throw new Error('a delivery is there already');
    return deliveries.filter((each) => this.#enqueueOne(each, most) > 0).map(({ webhookId }) => webhookId);
  }

  pending(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { webhookId } of this.deliveries) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return counts;
  }

  due(now: number): string[] {
    return this.all()
      .map(({ id }) => id)
      .filter((id) => this.nextOf(id, now) !== undefined);
  }

  nextOf(id: string, now: number): Delivery | undefined {
    return this.deliveries
      .filter(({ webhookId, dueAt }) => webhookId === id && dueAt <= now)
      .sort((a, b) => a.dueAt - b.dueAt)[0];
  }

  file({ deliveryId, webhookId, at, outcome, retryAt }: FiledTry): void {
    this.#write();
    this.deliveries = this.deliveries.flatMap((each) => {
      if (each.id !== deliveryId) return [each];
      return retryAt === null ? [] : [{ ...each, failures: each.failures + 1, dueAt: retryAt }];
    });
    const webhook = this.webhooks.get(webhookId);
    if (webhook !== undefined) this.webhooks.set(webhookId, { ...webhook, lastDelivery: { at, ...outcome } });
  }

  #enqueueOne(delivery: Delivery, most: number): number {
    const waiting = this.deliveries
      .filter(({ webhookId }) => webhookId === delivery.webhookId)
      .sort((a, b) => a.createdAt - b.createdAt);
    const dropped = waiting.slice(0, Math.max(0, waiting.length + 1 - most));
    this.deliveries = [...this.deliveries.filter((each) => !dropped.includes(each)), delivery];
    return dropped.length;
  }

  #write(): void {
    if (this.failing !== null) throw this.failing;
  }
}
