import type { Audit, Authenticator, Clock, Log, Random } from '@svc/auth-core';
import { type LabEvents, WebhookDeliveries, WebhookDirectory, WebhookQueue } from '@svc/device-lab';
import { DestinationRules, Destinations, type Lookups, type Outbound } from '@svc/outbound';
import type { Config } from '@svc/settings';
import type { SqliteStore } from '@svc/store-sqlite';
import { HttpSender } from './http-sender.ts';

const EVERY_MS = 1_000;
/**
 * Maximum time to wait for deliveries under way when the server stops (ms). Incomplete deliveries are sent again after
 * the next start.
 */
const LAST_MOMENT_MS = 2_000;

interface Tools {
  readonly config: Pick<Config, 'webhookAllow'>;
  readonly stores: SqliteStore;
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly lookups: Lookups;
}

/** Webhooks of this server: the queue of their deliveries, and the directory in which Admins manage them. */
export interface WebhookService {
  readonly queue: WebhookQueue;
  readonly directory: WebhookDirectory;
  /** Starts to queue webhook deliveries for events of the lab. */
  listenTo(events: LabEvents): void;
  close(): Promise<void>;
}

export function startWebhooks({ config, outbound, lookups, ...tools }: Tools): WebhookService {
  const rules = new DestinationRules(config.webhookAllow);
  const destinations = new Destinations({ rules: () => rules, lookups, setting: 'SVC_WEBHOOK_ALLOW' });
  const sender = new HttpSender(destinations, outbound);
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
