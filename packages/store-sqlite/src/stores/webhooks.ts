import type { SealingKey } from '@svc/auth-core';
import {
  type Delivery,
  type DeliveryRecord,
  FINISHED_DELIVERIES,
  type FiledTry,
  type OpenWebhook,
  type Subscription,
  type Webhook,
  type WebhookStore,
} from '@svc/webhooks';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../schema/rows/trail.ts';

/** Columns that are set for a new delivery. The other columns get their default values. */
type PendingRow = Omit<WebhookDeliveryRow, 'tried_at' | 'status' | 'error' | 'is_finished'>;

/**
 * Stores webhooks and their deliveries. The address and the secret are encrypted together with the webhook's id, so
 * that they cannot be decrypted in another webhook's row.
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

  insert(webhook: OpenWebhook): void {
    this.#connection.join(() => this.#statements.insert.run(this.#rowOf(webhook)));
  }

  update(webhook: OpenWebhook): void {
    this.#connection.join(() => this.#statements.update.run(this.#rowOf(webhook)));
  }

  remove(id: string): boolean {
    return this.#connection.join(() => this.#statements.remove.run({ id })) > 0;
  }

  subscribedTo(event: string): Subscription[] {
    return this.#statements.subscribed.all({ event });
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

  file({ deliveryId, webhookId, at, outcome: { status, error }, retryAt }: FiledTry): void {
    const { tried, removeOld, last } = this.#statements.filed;
    const failed = isSuccess(status) ? 0 : 1;
    const isFinished = retryAt === null ? 1 : 0;
    this.#connection.join(() => {
      tried.run({ deliveryId, at, status, error, failed, isFinished, retryAt });
      if (isFinished === 1) removeOld.run({ webhookId, most: FINISHED_DELIVERIES });
      last.run({ webhookId, at, status, error });
    });
  }

  deliveriesOf(webhookId: string, most: number): DeliveryRecord[] {
    return this.#statements.deliveries.all({ webhookId, most }).map(recordOf);
  }

  delivery(webhookId: string, id: string): DeliveryRecord | undefined {
    const row = this.#statements.delivery.get({ webhookId, id });
    return row === undefined ? undefined : recordOf(row);
  }

  #enqueueOne(delivery: Delivery, most: number): number {
    const { webhookId } = delivery;
    const { waiting } = this.#statements.count.get({ webhookId }) as { waiting: number };
    const dropped = Math.max(0, waiting + 1 - most);
    if (dropped > 0) this.#statements.dropOldest.run({ webhookId, dropped });
    this.#statements.enqueue.run(rowOf(delivery));
    return dropped;
  }

  #rowOf({ id, target, host, lastDelivery, ...webhook }: OpenWebhook): WebhookRow {
    return {
      id,
      sealed: this.#key.seal(JSON.stringify(target), id),
      host,
      events: JSON.stringify(webhook.events),
      created_at: webhook.createdAt,
      created_by: webhook.createdBy,
      last_at: lastDelivery?.at ?? null,
      last_status: lastDelivery?.status ?? null,
      last_error: lastDelivery?.error ?? null,
      format: webhook.format,
      team_id: webhook.teamId,
      tag: webhook.tag,
      is_paused: webhook.isPaused ? 1 : 0,
    };
  }

  #webhookOf(row: WebhookRow): Webhook {
    const opened = this.#key.open(row.sealed, row.id);
    return {
      id: row.id,
      events: JSON.parse(row.events),
      format: row.format,
      teamId: row.team_id,
      tag: row.tag,
      isPaused: row.is_paused === 1,
      createdAt: row.created_at,
      createdBy: row.created_by,
      target: opened === null ? null : JSON.parse(opened),
      host: row.host,
      lastDelivery:
        row.last_at === null ? null : { at: row.last_at, status: row.last_status, error: row.last_error },
    };
  }
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function rowOf(delivery: Delivery): PendingRow {
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

function recordOf(row: WebhookDeliveryRow): DeliveryRecord {
  return {
    ...deliveryOf(row),
    triedAt: row.tried_at,
    outcome: row.tried_at === null ? null : { status: row.status, error: row.error },
    isFinished: row.is_finished === 1,
  };
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, WebhookRow>('select * from webhooks order by created_at, rowid'),
    byId: connection.prepare<{ id: string }, WebhookRow>('select * from webhooks where id = @id'),
    insert: connection.prepare<WebhookRow, never>(`
      insert into webhooks (
        id, sealed, host, events, created_at, created_by, last_at, last_status, last_error, format, team_id, tag,
        is_paused
      ) values (
        @id, @sealed, @host, @events, @created_at, @created_by, @last_at, @last_status, @last_error, @format, @team_id,
        @tag, @is_paused
      )`),
    update: connection.prepare<WebhookRow, never>(`
      update webhooks set
        sealed = @sealed, host = @host, events = @events, format = @format, team_id = @team_id, tag = @tag,
        is_paused = @is_paused
      where id = @id`),
    remove: connection.prepare<{ id: string }, never>('delete from webhooks where id = @id'),
    subscribed: connection.prepare<{ event: string }, Subscription>(`
      select id, team_id as teamId, tag from webhooks
      where is_paused = 0 and exists (select 1 from json_each(webhooks.events) where json_each.value = @event)
      order by created_at, rowid`),
    count: connection.prepare<{ webhookId: string }, { waiting: number }>(
      'select count(*) as waiting from webhook_deliveries where webhook_id = @webhookId and is_finished = 0',
    ),
    dropOldest: connection.prepare<{ webhookId: string; dropped: number }, never>(`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where webhook_id = @webhookId and is_finished = 0
        order by created_at, rowid limit @dropped
      )`),
    enqueue: connection.prepare<PendingRow, never>(`
      insert into webhook_deliveries (id, webhook_id, event, body, created_at, failures, due_at)
      values (@id, @webhook_id, @event, @body, @created_at, @failures, @due_at)`),
    pending: connection.prepare<NoParams, { id: string; waiting: number }>(`
      select webhook_id as id, count(*) as waiting from webhook_deliveries where is_finished = 0
      group by webhook_id`),
    due: connection.prepare<{ now: number }, { id: string }>(`
      select id from webhooks where is_paused = 0 and exists (
        select 1 from webhook_deliveries where webhook_id = webhooks.id and due_at <= @now and is_finished = 0
      ) order by created_at, rowid`),
    next: connection.prepare<{ webhookId: string; now: number }, WebhookDeliveryRow>(`
      select * from webhook_deliveries
      where webhook_id = @webhookId and due_at <= @now and is_finished = 0
      order by due_at, rowid limit 1`),
    deliveries: connection.prepare<{ webhookId: string; most: number }, WebhookDeliveryRow>(`
      select * from webhook_deliveries where webhook_id = @webhookId order by created_at desc, rowid desc
      limit @most`),
    delivery: connection.prepare<{ webhookId: string; id: string }, WebhookDeliveryRow>(
      'select * from webhook_deliveries where webhook_id = @webhookId and id = @id',
    ),
    filed: filedStatements(connection),
  };
}

function filedStatements(connection: Connection) {
  interface Result {
    readonly at: number;
    readonly status: number | null;
    readonly error: string | null;
  }
  interface Tried extends Result {
    readonly deliveryId: string;
    readonly failed: number;
    readonly isFinished: number;
    readonly retryAt: number | null;
  }
  return {
    tried: connection.prepare<Tried, never>(`
      update webhook_deliveries set
        failures = failures + @failed, due_at = coalesce(@retryAt, due_at), tried_at = @at, status = @status,
        error = @error, is_finished = @isFinished
      where id = @deliveryId`),
    removeOld: connection.prepare<{ webhookId: string; most: number }, never>(`
      delete from webhook_deliveries where webhook_id = @webhookId and is_finished = 1 and id not in (
        select id from webhook_deliveries where webhook_id = @webhookId and is_finished = 1
        order by tried_at desc, rowid desc limit @most
      )`),
    last: connection.prepare<Result & { readonly webhookId: string }, never>(`
      update webhooks set last_at = @at, last_status = @status, last_error = @error where id = @webhookId`),
  };
}
