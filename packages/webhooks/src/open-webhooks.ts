import type { Audit, Authenticator, Clock, Log, Random, Stores } from '@svc/auth-core';
import type { LabEvents } from '@svc/device-lab';
import { DestinationRules, Destinations, type Lookups, type Outbound } from '@svc/outbound';
import type { ScopeStores } from './event-scope.ts';
import { HttpSender } from './http-sender.ts';
import type { MessageContext } from './messages/links.ts';
import type { WebhookStore } from './webhook.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';
import { WebhookDirectory } from './webhook-directory.ts';
import { WebhookQueue } from './webhook-queue.ts';

const EVERY_MS = 1_000;
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

/** Webhooks of this server: the queue of their deliveries, and the directory in which Admins manage them. */
export interface Webhooks {
  readonly queue: WebhookQueue;
  readonly directory: WebhookDirectory;
  /** Starts to queue webhook deliveries for events of the lab. */
  listenTo(events: LabEvents): void;
  close(): Promise<void>;
}

/** Opens the webhooks and starts to send their deliveries. */
export function openWebhooks({ allowed, version, outbound, lookups, ...tools }: Needs): Webhooks {
  const rules = new DestinationRules(allowed);
  const destinations = new Destinations({ rules: () => rules, lookups, setting: 'SVC_WEBHOOK_ALLOW' });
  const sender = new HttpSender(destinations, outbound, `svc/${version}`);
  const shared = { ...tools, webhooks: tools.stores.webhooks, sender };
  const queue = new WebhookQueue(shared);
  const deliveries = new WebhookDeliveries(shared);
  const timer = setInterval(() => deliveries.start(), EVERY_MS).unref();
  return {
    queue,
    listenTo: (events) => {
      events.subscribe((event) => queue.labEvent(event));
    },
    directory: new WebhookDirectory({ ...shared, queue }),
    close: async () => {
      clearInterval(timer);
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
