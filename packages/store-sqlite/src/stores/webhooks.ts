import type { SealingKey } from '@svc/auth-core';
import type { Delivery, FiledTry, Webhook, WebhookStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../schema/rows/trail.ts';

/**
 * Stores webhooks and their deliveries. The address and the secret are encrypted and bound to their webhook, so that
 * they cannot be moved to another row.
 */
export class WebhookRows implements WebhookStore {
  readonly #connection: Connection;
  readonly #key: SealingKey;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, key: SealingKey) {
    this.#connection = connection;
    this.#key = key;
    this.#statements = statements(connection);
  }

  all(): Webhook[] {
    return this.#statements.all.all({}).map((row) => this.#webhookOf(row));
  }

  byId(id: string): Webhook | undefined {
    const row = this.#statements.byId.get({ id });
    return row === undefined ? undefined : this.#webhookOf(row);
  }

  insert({ id, target, host, events, createdAt, createdBy, lastDelivery }: Webhook): void {
    const row = {
      id,
      sealed: this.#key.seal(JSON.stringify(target), id),
      host,
      events: JSON.stringify(events),
      created_at: createdAt,
      created_by: createdBy,
      last_at: lastDelivery?.at ?? null,
      last_status: lastDelivery?.status ?? null,
      last_error: lastDelivery?.error ?? null,
    };
    this.#connection.join(() => this.#statements.insert.run(row));
  }

  remove(id: string): boolean {
    return this.#connection.join(() => this.#statements.remove.run({ id })) > 0;
  }

  subscribedTo(event: string): string[] {
    return this.#statements.subscribed.all({ event }).map(({ id }) => id);
  }

  enqueue(deliveries: readonly Delivery[], most: number): string[] {
    return this.#connection.join(() =>
      deliveries.filter((each) => this.#enqueueOne(each, most) > 0).map(({ webhookId }) => webhookId),
    );
  }

  pending(): ReadonlyMap<string, number> {
    return new Map(this.#statements.pending.all({}).map(({ id, waiting }) => [id, waiting]));
  }

  due(now: number): string[] {
    return this.#statements.due.all({ now }).map(({ id }) => id);
  }

  nextOf(webhookId: string, now: number): Delivery | undefined {
    const row = this.#statements.next.get({ webhookId, now });
    return row === undefined ? undefined : deliveryOf(row);
  }

  file({ deliveryId, webhookId, at, outcome, retryAt }: FiledTry): void {
    const { remove, delay } = this.#statements.filed;
    this.#connection.join(() => {
      if (retryAt === null) remove.run({ deliveryId });
      else delay.run({ deliveryId, retryAt });
      this.#statements.last.run({ webhookId, at, status: outcome.status, error: outcome.error });
    });
  }

  #enqueueOne(delivery: Delivery, most: number): number {
    const { webhookId } = delivery;
    const { waiting } = this.#statements.count.get({ webhookId }) as { waiting: number };
    const dropped = Math.max(0, waiting + 1 - most);
    if (dropped > 0) this.#statements.dropOldest.run({ webhookId, dropped });
    this.#statements.enqueue.run(rowOf(delivery));
    return dropped;
  }

  #webhookOf(row: WebhookRow): Webhook {
    const opened = this.#key.open(row.sealed, row.id);
    return {
      id: row.id,
      events: JSON.parse(row.events),
      createdAt: row.created_at,
      createdBy: row.created_by,
      target: opened === null ? null : JSON.parse(opened),
      host: row.host,
      lastDelivery:
        row.last_at === null ? null : { at: row.last_at, status: row.last_status, error: row.last_error },
    };
  }
}

function rowOf(delivery: Delivery): WebhookDeliveryRow {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event: delivery.event,
    body: delivery.body,
    created_at: delivery.createdAt,
    failures: delivery.failures,
    due_at: delivery.dueAt,
  };
}

function deliveryOf(row: WebhookDeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    body: row.body,
    createdAt: row.created_at,
    failures: row.failures,
    dueAt: row.due_at,
  };
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, WebhookRow>('select * from webhooks order by created_at, rowid'),
    byId: connection.prepare<{ id: string }, WebhookRow>('select * from webhooks where id = @id'),
    insert: connection.prepare<WebhookRow, never>(`
      insert into webhooks (
        id, sealed, host, events, created_at, created_by, last_at, last_status, last_error
      ) values (
        @id, @sealed, @host, @events, @created_at, @created_by, @last_at, @last_status, @last_error
      )`),
    remove: connection.prepare<{ id: string }, never>('delete from webhooks where id = @id'),
    subscribed: connection.prepare<{ event: string }, { id: string }>(`
      select id from webhooks
      where exists (select 1 from json_each(webhooks.events) where json_each.value = @event)
      order by created_at, rowid`),
    count: connection.prepare<{ webhookId: string }, { waiting: number }>(
      'select count(*) as waiting from webhook_deliveries where webhook_id = @webhookId',
    ),
    dropOldest: connection.prepare<{ webhookId: string; dropped: number }, never>(`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where webhook_id = @webhookId
        order by created_at, rowid limit @dropped
      )`),
    enqueue: connection.prepare<WebhookDeliveryRow, never>(`
      insert into webhook_deliveries (id, webhook_id, event, body, created_at, failures, due_at)
      values (@id, @webhook_id, @event, @body, @created_at, @failures, @due_at)`),
    pending: connection.prepare<NoParams, { id: string; waiting: number }>(
      'select webhook_id as id, count(*) as waiting from webhook_deliveries group by webhook_id',
    ),
    due: connection.prepare<{ now: number }, { id: string }>(`
      select id from webhooks where exists (
        select 1 from webhook_deliveries where webhook_id = webhooks.id and due_at <= @now
      ) order by created_at, rowid`),
    next: connection.prepare<{ webhookId: string; now: number }, WebhookDeliveryRow>(`
      select * from webhook_deliveries where webhook_id = @webhookId and due_at <= @now
      order by due_at, rowid limit 1`),
    filed: {
      remove: connection.prepare<{ deliveryId: string }, never>(
        'delete from webhook_deliveries where id = @deliveryId',
      ),
      delay: connection.prepare<{ deliveryId: string; retryAt: number }, never>(`
        update webhook_deliveries set failures = failures + 1, due_at = @retryAt where id = @deliveryId`),
    },
    last: connection.prepare<
      { webhookId: string; at: number; status: number | null; error: string | null },
      never
    >(`
      update webhooks set last_at = @at, last_status = @status, last_error = @error where id = @webhookId`),
  };
}
