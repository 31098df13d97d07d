import type { Audit, Cascade, Clock, Log, Random } from '@svc/auth-core';
import type { PasswordHasher } from '../rules/password-hasher.ts';
import type { AccountStores } from './stores.ts';

/**
 * Function that returns whether a password is on the list of common passwords, or undefined if the list is turned off.
 */
export type CommonPasswords = ((password: string) => boolean) | undefined;

/** What most use cases of accounts need. Each takes only what it uses. */
export interface AccountTools {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
  readonly hasher: PasswordHasher;
  readonly isCommonPassword?: CommonPasswords;
  /** Ends the tokens that were minted from a sign-in, directly or through other tokens. */
  readonly cascade: Pick<Cascade, 'signInEnded'>;
}

/** Dependencies of every flow that sets a password. */
export type PasswordTools = Pick<
  AccountTools,
  'stores' | 'clock' | 'random' | 'hasher' | 'audit' | 'isCommonPassword'
>;
