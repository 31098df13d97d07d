import type { Accounts } from '@svc/accounts';
import type { Module } from '@svc/module';
import type { HubSide } from '@svc/nodes';
import type { RecordingsOffers } from '@svc/recordings';
import type { Webhooks } from '@svc/webhooks';

/** Subjects that are open in this process. */
export interface Modules {
  readonly accounts: Module<Accounts>;
  readonly webhooks: Module<Webhooks>;
  readonly hub: Module<HubSide>;
  readonly recordings: Module<RecordingsOffers>;
  readonly shares: Module<null>;
}
