import type { ErrorCode } from '@svc/contract';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { PresentedCredentials } from './presented.ts';
import type { Verification } from './verification.ts';

/**
 * One kind of credential: what is its own and nothing else. Account look-up, status, expiry, effective scopes, last
 * use, audit and memory are steps of the dispatcher (`Authenticator`), which no scheme can skip. A new scheme is a
 * file beside this one and an entry in `schemes.ts`, whose order is the precedence.
 */
export interface CredentialScheme {
  /** As the audit trail and `GET /auth/me` name it. */
  readonly kind: string;
  /** Public code of every refusal (specification 5.1.3); the reason goes to log and audit trail only. */
  readonly publicCode: ErrorCode;
  /** Whether WebDriver commands accept it (specification 5.7.2). */
  readonly onCommands: boolean;
  /** The headers it is read from, lower case. */
  readonly headers: readonly string[];
  /** Whether its first use from each address is noted in the audit trail, hour by hour. */
  readonly tracksAddresses: boolean;
  /** How its use is kept in its record; absent: there is no record. */
  readonly use?: CredentialUse;

  /**
   * The text that proves it, as it arrived. Undefined: the request carries nothing of this scheme. Anything else,
   * an empty text too, decides alone (specification 5.1.1).
   */
  secretOf(presented: PresentedCredentials): string | undefined;

  /** `digest`: SHA-256 of the secret, a character for a byte. */
  verify(
    presented: PresentedCredentials,
    secret: string,
    digest: string,
    now: number,
    from: RequestOrigin,
  ): Verification | Promise<Verification>;

  /** What has to fit the account besides the secret, asked on every request; absent: nothing. */
  fits?(presented: PresentedCredentials, account: Account): boolean;

  /** Present on a request, it lifts the origin check: no browser adds it by itself (contract 1). Absent: never. */
  liftsOriginCheck?(presented: PresentedCredentials): boolean;

  /** Whether a credential proven before is still one; `account` is read anew, active, and the expiry is not reached. */
  stillGood(caller: Caller, account: Account, now: number): boolean;
}

export interface CredentialUse {
  /** Milliseconds between two that are kept. */
  readonly everyMs: number;
  /** A use moves the credential's expiry; the client's copy has to follow. */
  readonly extends: boolean;
  note(id: string, now: number, expiresAt: number | null): void;
}
