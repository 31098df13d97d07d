import type { Stores, StoreTransaction } from '@svc/auth-core';
import type { DirectoryUserReader, DirectoryUserStore } from './directory-users.ts';
import type { IdentityReader, IdentityStore } from './identities.ts';
import type { ResetLinkReader, ResetLinkStore } from './reset-links.ts';
import type { TrustRuleReader, TrustRuleStore } from './trust-rules.ts';

/** Readers of the stores that only accounts use. */
interface AccountReaders {
  readonly resetLinks: ResetLinkReader;
  readonly trustRules: TrustRuleReader;
  readonly directoryUsers: DirectoryUserReader;
  readonly identities: IdentityReader;
}

/** An open transaction that can also change what only accounts store. */
export interface AccountTransaction extends StoreTransaction, AccountReaders {
  readonly resetLinks: ResetLinkStore;
  readonly trustRules: TrustRuleStore;
  readonly directoryUsers: DirectoryUserStore;
  readonly identities: IdentityStore;
}

/** The stores of the core, and those that only accounts use. */
export interface AccountStores extends Stores, AccountReaders {
  readonly trustRules: TrustRuleReader;
  readonly transaction: <T>(work: (tx: AccountTransaction) => T) => T;
}
