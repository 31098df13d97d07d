import type { SealingKey } from '@svc/accounts';
import type { WebhookFailure } from '@svc/contract';
import {
  type Delivery,
  type DeliveryRecord,
  FINISHED_DELIVERIES,
  type OpenWebhook,
  type Subscription,
  type Webhook,
  type WebhookStore,
} from '@svc/webhooks';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import { flag, json, nullable, Rows, required, type Table } from './table.ts';

interface StoredWebhook extends Omit<Webhook, 'target' | 'lastDelivery'> {
  /** Address and signing secret, as encrypted JSON (docs/decisions/0013). */
  readonly sealed: string;
  readonly lastAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: WebhookFailure | null;
}

/**
 * `createdBy` has no foreign key, because a webhook stays when its account is deleted. `teamId` has none either: if
 * deleting the team set the column to null, the webhook would get the events of all teams.
 */
export const WEBHOOKS: Table<StoredWebhook> = {
  name: 'webhooks',
  columns: {
    id: required,
    sealed: required,
    host: required,
    events: json,
    createdAt: required,
    createdBy: nullable,
    lastAt: nullable,
    lastStatus: nullable,
    lastError: nullable,
    format: required,
    teamId: nullable,
    tag: nullable,
    isPaused: flag,
  },
};

/** `status` and `error` are the result of the last try, at `triedAt`. */
type StoredDelivery = Omit<DeliveryRecord, 'outcome'> & NonNullable<DeliveryRecord['outcome']>;

export const WEBHOOK_DELIVERIES: Table<StoredDelivery> = {
  name: 'webhook_deliveries',
  columns: {
    id: required,
    webhookId: required,
    event: required,
    body: required,
    createdAt: required,
    failures: required,
    dueAt: required,
    triedAt: nullable,
    status: nullable,
    error: nullable,
    isFinished: flag,
  },
};

interface Filed {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: number;
  readonly status: number | null;
  readonly error: WebhookFailure | null;
  readonly failed: number;
  readonly isFinished: boolean;
  readonly retryAt: number | null;
}

function ofWebhooks(connection: Connection) {
  const webhooks = new Rows(connection, WEBHOOKS);
  return {
    all: webhooks.all('order by created_at, rowid'),
    byId: webhooks.first(),
    insert: webhooks.insert(),
    update: webhooks.update('sealed', 'host', 'events', 'format', 'teamId', 'tag', 'isPaused'),
    remove: webhooks.remove(),
    subscribed: connection.prepare<{ event: string }, Subscription>(`
      select id, team_id as teamId, tag from webhooks
      where is_paused = 0 and exists (select 1 from json_each(webhooks.events) where json_each.value = @event)
      order by created_at, rowid`),
    due: connection.prepare<{ now: number }, { id: string }>(`
      select id from webhooks where is_paused = 0 and exists (
        select 1 from webhook_deliveries where webhook_id = webhooks.id and due_at <= @now and is_finished = 0
      ) order by created_at, rowid`),
    last: webhooks.run<Filed>(
      'update webhooks set last_at = @at, last_status = @status, last_error = @error where id = @webhookId',
    ),
  };
}

function ofDeliveries(connection: Connection) {
  const deliveries = new Rows(connection, WEBHOOK_DELIVERIES);
  return {
    count: connection.prepare<{ webhookId: string }, { waiting: number }>(
      'select count(*) as waiting from webhook_deliveries where webhook_id = @webhookId and is_finished = 0',
    ),
    dropOldest: deliveries.remove<{ webhookId: string; dropped: number }>(`id in (
      select id from webhook_deliveries where webhook_id = @webhookId and is_finished = 0
      order by created_at, rowid limit @dropped)`),
    enqueue: deliveries.only('id', 'webhookId', 'event', 'body', 'createdAt', 'failures', 'dueAt').insert(),
    pending: connection.prepare<NoParams, { id: string; waiting: number }>(`
      select webhook_id as id, count(*) as waiting from webhook_deliveries where is_finished = 0
      group by webhook_id`),
    next: deliveries
      .only('id', 'webhookId', 'event', 'body', 'createdAt', 'failures', 'dueAt')
      .first<{ webhookId: string; now: number }>(`
        where webhook_id = @webhookId and due_at <= @now and is_finished = 0
        order by due_at, rowid limit 1`),
    newest: deliveries.all<{ webhookId: string; most: number }>(
      'where webhook_id = @webhookId order by created_at desc, rowid desc limit @most',
    ),
    byId: deliveries.first<{ webhookId: string; id: string }>('where webhook_id = @webhookId and id = @id'),
    tried: deliveries.run<Filed>(`
      update webhook_deliveries set
        failures = failures + @failed, due_at = coalesce(@retryAt, due_at), tried_at = @at, status = @status,
        error = @error, is_finished = @isFinished
      where id = @deliveryId`),
    removeOld: deliveries.remove<{ webhookId: string; most: number }>(`
      webhook_id = @webhookId and is_finished = 1 and id not in (
        select id from webhook_deliveries where webhook_id = @webhookId and is_finished = 1
        order by tried_at desc, rowid desc limit @most)`),
  };
}

/**
 * Stores webhooks and their deliveries. The address and the secret are encrypted together with the webhook's id, so
 * that they cannot be decrypted in another webhook's row.
 */
export function webhookRows(connection: Connection, key: SealingKey): WebhookStore {
  const webhooks = ofWebhooks(connection);
  const deliveries = ofDeliveries(connection);
  const rowOf = ({ target, lastDelivery, ...webhook }: OpenWebhook): StoredWebhook => ({
    ...webhook,
    sealed: key.seal(JSON.stringify(target), webhook.id),
    lastAt: lastDelivery?.at ?? null,
    lastStatus: lastDelivery?.status ?? null,
    lastError: lastDelivery?.error ?? null,
  });
  const webhookOf = ({ sealed, lastAt, lastStatus, lastError, ...row }: StoredWebhook): Webhook => {
    const opened = key.open(sealed, row.id);
    return {
      ...row,
      target: opened === null ? null : JSON.parse(opened),
      lastDelivery: lastAt === null ? null : { at: lastAt, status: lastStatus, error: lastError },
    };
  };
  const enqueue = (delivery: Delivery, most: number): boolean => {
    const { webhookId } = delivery;
    const { waiting = 0 } = deliveries.count.get({ webhookId }) ?? {};
    const dropped = Math.max(0, waiting + 1 - most);
    if (dropped > 0) deliveries.dropOldest({ webhookId, dropped });
    deliveries.enqueue(delivery);
    return dropped > 0;
  };
  return {
    all: () => webhooks.all({}).map(webhookOf),
    byId: (id) => {
      const row = webhooks.byId({ id });
      return row && webhookOf(row);
    },
    insert: (webhook) => connection.join(() => webhooks.insert(rowOf(webhook))),
    update: (webhook) => connection.join(() => webhooks.update(rowOf(webhook))),
    remove: (id) => connection.join(() => webhooks.remove({ id })) > 0,
    subscribedTo: (event) => webhooks.subscribed.all({ event }),
    enqueue: (added, most) =>
      connection.join(() => added.filter((each) => enqueue(each, most)).map(({ webhookId }) => webhookId)),
    pending: () => new Map(deliveries.pending.all({}).map(({ id, waiting }) => [id, waiting])),
    due: (now) => webhooks.due.all({ now }).map(({ id }) => id),
    nextOf: (webhookId, now) => deliveries.next({ webhookId, now }),
    file: ({ outcome, ...filed }) => {
      const { webhookId } = filed;
      const isFinished = filed.retryAt === null;
      const row = { ...filed, ...outcome, failed: isSuccess(outcome.status) ? 0 : 1, isFinished };
      connection.join(() => {
        deliveries.tried(row);
        if (isFinished) deliveries.removeOld({ webhookId, most: FINISHED_DELIVERIES });
        webhooks.last(row);
      });
    },
    deliveriesOf: (webhookId, most) => deliveries.newest({ webhookId, most }).map(recordOf),
    delivery: (webhookId, id) => {
      const row = deliveries.byId({ webhookId, id });
      return row && recordOf(row);
    },
  };
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function recordOf({ status, error, ...row }: StoredDelivery): DeliveryRecord {
  return { ...row, outcome: row.triedAt === null ? null : { status, error } };
}
