import {
  type Delivery,
  type DeliveryRecord,
  FINISHED_DELIVERIES,
  type FiledTry,
  type Subscription,
  type Webhook,
  type WebhookStore,
} from '../webhook.ts';
import { isDelivered } from '../webhook-deliveries.ts';

/** Store of webhooks in memory, for tests. If `failing` is set, every write throws this error. */
export class MemoryWebhooks implements WebhookStore {
  readonly webhooks = new Map<string, Webhook>();
  /** Pending deliveries. */
  deliveries: Delivery[] = [];
  finished: DeliveryRecord[] = [];
  readonly #tried = new Map<string, Pick<DeliveryRecord, 'triedAt' | 'outcome'>>();
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

  update({ id, ...webhook }: Webhook): void {
    this.#write();
    const before = this.webhooks.get(id);
    if (before !== undefined)
      this.webhooks.set(id, { ...before, ...webhook, lastDelivery: before.lastDelivery });
  }

  remove(id: string): boolean {
    this.#write();
    this.finished = this.finished.filter(({ webhookId }) => webhookId !== id);
    this.deliveries = this.deliveries.filter(({ webhookId }) => webhookId !== id);
    return this.webhooks.delete(id);
  }

  subscribedTo(event: string): Subscription[] {
    return this.all()
      .filter(({ events, isPaused }) => !isPaused && events.some((each) => each === event))
      .map(({ id, teamId, tag }) => ({ id, teamId, tag }));
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
      .filter(({ isPaused }) => !isPaused)
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
    const result = { triedAt: at, outcome };
    this.#tried.set(deliveryId, result);
    this.deliveries = this.deliveries.flatMap((each) => {
      if (each.id !== deliveryId) return [each];
      const failures = each.failures + (isDelivered(outcome) ? 0 : 1);
      if (retryAt !== null) return [{ ...each, failures, dueAt: retryAt }];
      const record = { ...each, failures, ...result, isFinished: true };
      const others = this.finished.filter((one) => one.webhookId !== webhookId);
      const own = this.finished.filter((one) => one.webhookId === webhookId);
      this.finished = [...others, ...[...own, record].slice(-FINISHED_DELIVERIES)];
      return [];
    });
    const webhook = this.webhooks.get(webhookId);
    if (webhook !== undefined) this.webhooks.set(webhookId, { ...webhook, lastDelivery: { at, ...outcome } });
  }

  deliveriesOf(webhookId: string, most: number): DeliveryRecord[] {
    const untried = { triedAt: null, outcome: null };
    const pending = this.deliveries.map((each) => ({
      ...each,
      ...(this.#tried.get(each.id) ?? untried),
      isFinished: false,
    }));
    return [...this.finished, ...pending]
      .filter((each) => each.webhookId === webhookId)
      .sort((a, b) => b.createdAt - a.createdAt)
      .slice(0, most);
  }

  delivery(webhookId: string, id: string): DeliveryRecord | undefined {
    return this.deliveriesOf(webhookId, Number.POSITIVE_INFINITY).find((each) => each.id === id);
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
