import type { ErrorCode } from '@svc/contract';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { PresentedCredentials } from './presented.ts';
import type { Verification } from './verification.ts';

/**
 * One kind of credential. Account look-up, status, expiry, effective scopes, last use, audit and caching are steps of
 * the dispatcher (`Authenticator`), which no scheme can skip. A new scheme is a file beside this one and an entry in
 * `schemes.ts`, whose order is the precedence.
 */
export interface CredentialScheme {
  /** Name in the audit trail and in `GET /auth/me`. */
  readonly kind: string;
  /** Public code of every refusal (specification 5.1.3). Only the log and the audit trail get the reason. */
  readonly publicCode: ErrorCode;
  /** Whether WebDriver commands accept it (specification 5.7.2). */
  readonly onCommands: boolean;
  /** Headers that carry the credential, in lower case. */
  readonly headers: readonly string[];
  /** Whether the audit trail records the first use from each address, once an hour. */
  readonly tracksAddresses: boolean;
  /** How uses are recorded; absent if the credential has no record. */
  readonly use?: CredentialUse;

  /**
   * @returns the secret as it arrived, or undefined if the request has no credential of this scheme. Any text, even an
   * empty one, decides alone (specification 5.1.1).
   */
  secretOf(presented: PresentedCredentials): string | undefined;

  /** @param digest SHA-256 of the secret, with one character per byte */
  verify(
    presented: PresentedCredentials,
    secret: string,
    digest: string,
    now: number,
    from: RequestOrigin,
  ): Verification | Promise<Verification>;

  /** Checks on every request whether the rest of the credential fits the account. Absent if there is no other part. */
  fits?(presented: PresentedCredentials, account: Account): boolean;

  /** @returns whether the credential lifts the origin check, because no browser adds it automatically (contract 1) */
  liftsOriginCheck?(presented: PresentedCredentials): boolean;

  /**
   * @param account read again and active
   * @returns whether a credential that was verified earlier, and has not expired, is still valid
   */
  stillGood(caller: Caller, account: Account, now: number): boolean;
}

export interface CredentialUse {
  /** Minimum time between two recorded uses, in ms. */
  readonly everyMs: number;
  /** Whether a use extends the expiry, so that the client's copy has to be renewed. */
  readonly extends: boolean;
  note(id: string, now: number, expiresAt: number | null): void;
}
