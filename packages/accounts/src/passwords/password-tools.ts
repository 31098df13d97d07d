import type { Audit, Clock, Random } from '@svc/auth-core';
import type { AccountStores } from '../ports/stores.ts';
import type { PasswordHasher } from '../rules/password-hasher.ts';
import type { CommonPasswords } from './password-rules.ts';

/** Dependencies of every flow that sets a password. */
export interface PasswordTools {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: PasswordHasher;
  readonly audit: Audit;
  /** Checks whether a password is common. Absent if the list of common passwords is turned off. */
  readonly isCommonPassword?: CommonPasswords;
}
