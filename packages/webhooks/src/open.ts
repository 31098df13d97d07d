import type { Audit, Authenticator, Clock, Log, Random, Stores } from '@svc/auth-core';
import type { LabEvents } from '@svc/device-lab';
import { every, gauge, type Module } from '@svc/module';
import { DestinationRules, Destinations, type Lookups, type Outbound } from '@svc/outbound';
import type { ScopeStores } from './event-scope.ts';
import { webhookHandlers } from './handlers.ts';
import { HttpSender } from './http-sender.ts';
import type { MessageContext } from './messages/links.ts';
import type { WebhookStore } from './webhook.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';
import { WebhookDirectory } from './webhook-directory.ts';
import { WebhookQueue } from './webhook-queue.ts';

const SEND_EVERY_MS = 1_000;
/**
 * Maximum time to wait for deliveries under way when the server stops (ms). Incomplete deliveries are sent again after
 * the next start.
 */
const LAST_MOMENT_MS = 2_000;

interface Needs {
  /** Addresses that webhooks may have although they are not public (`SVC_WEBHOOK_ALLOW`). */
  readonly allowed: readonly string[];
  /** Version of this server, which its requests name. */
  readonly version: string;
  readonly stores: Pick<Stores, 'teams' | 'transaction'> & {
    readonly accounts: Stores['accounts'];
    readonly deviceSettings: ScopeStores['deviceSettings'];
    readonly webhooks: WebhookStore;
  };
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly lookups: Lookups;
  /** What messages for people say in addition to the payload of an event. */
  readonly messages: MessageContext;
}

export interface Webhooks {
  readonly queue: WebhookQueue;
  /** Starts to queue webhook deliveries for events of the lab. */
  listenTo(events: LabEvents): void;
}

/** Opens the queue of deliveries, and the directory in which Admins manage webhooks. */
export function openWebhooks({ allowed, version, outbound, lookups, ...tools }: Needs): Module<Webhooks> {
  const rules = new DestinationRules(allowed);
  const destinations = new Destinations({ rules: () => rules, lookups, setting: 'SVC_WEBHOOK_ALLOW' });
  const sender = new HttpSender(destinations, outbound, `svc/${version}`);
  const { webhooks } = tools.stores;
  const shared = { ...tools, webhooks, sender };
  const queue = new WebhookQueue(shared);
  const deliveries = new WebhookDeliveries(shared);
  return {
    offers: {
      queue,
      listenTo: (events) => {
        events.subscribe((event) => queue.labEvent(event));
      },
    },
    handlers: webhookHandlers(new WebhookDirectory({ ...shared, queue })),
    schedules: [every(SEND_EVERY_MS, () => deliveries.start())],
    metrics: [
      gauge('svc_queue_depth', 'What waits, by queue', () => {
        const waiting = [...webhooks.pending().values()].reduce((sum, each) => sum + each, 0);
        return [{ labels: { queue: 'webhooks' }, value: waiting }];
      }),
    ],
    close: async () => {
      const lastMoment = setTimeout(() => {
        deliveries.abandon();
        sender.close();
      }, LAST_MOMENT_MS);
      await deliveries.stop();
      clearTimeout(lastMoment);
      sender.close();
    },
  };
}
