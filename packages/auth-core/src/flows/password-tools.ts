import type { Audit } from '../audit.ts';
import type { Clock, PasswordHasher, Random, Stores } from '../ports/index.ts';
import type { CommonPasswords } from '../secrets/password.ts';

/** What every flow that gives an account a password works with. */
export interface PasswordTools {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: PasswordHasher;
  readonly audit: Audit;
  /** Absent: the list of common passwords is switched off. */
  readonly isCommonPassword?: CommonPasswords;
}
