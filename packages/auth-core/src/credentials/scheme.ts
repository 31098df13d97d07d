import type { ErrorCode } from '@svc/contract';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { PresentedCredentials } from './presented.ts';
import type { Verification } from './verification.ts';

/**
 * One kind of credential. A scheme reads the credential from the request and verifies it. `Authenticator` does the rest
 * (account look-up, status, expiry, effective scopes, last use, audit and caching), so that no scheme can skip a step.
 * A new scheme is a file in this folder and an entry in `schemes.ts`, whose order is the precedence.
 */
export interface CredentialScheme {
  /** Name of the scheme in the audit trail and in the response of `GET /auth/me`. */
  readonly kind: string;
  /**
   * Error code in the response to every rejected credential of this scheme (specification 5.1.3). The actual reason is
   * only in the log and the audit trail.
   */
  readonly publicCode: ErrorCode;
  /** Whether WebDriver commands accept the credential (specification 5.7.2). */
  readonly onCommands: boolean;
  /**
   * True if only WebDriver commands accept the credential. Such a scheme is another spelling of a credential that
   * another scheme of the same `kind` reads elsewhere.
   */
  readonly onlyOnCommands?: boolean;
  /** Headers that carry the credential, in lower case. */
  readonly headers: readonly string[];
  /**
   * Whether the audit trail records from which addresses the credential is used: for each address, the first use in
   * each hour.
   */
  readonly tracksAddresses: boolean;
  /** How the credential's database record stores its last use. Absent if the credential has no record. */
  readonly use?: CredentialUse;

  /**
   * @returns the secret as it arrived, or undefined if the request has no credential of this scheme. If any text is
   * returned, even an empty one, this scheme decides alone and no weaker credential is tried (specification 5.1.1).
   */
  secretOf(presented: PresentedCredentials): string | undefined;

  /**
   * Verifies the secret of a request.
   *
   * @param digest SHA-256 of the secret, as a string in which each character is one byte
   */
  verify(
    presented: PresentedCredentials,
    secret: string,
    digest: string,
    now: number,
    from: RequestOrigin,
  ): Verification | Promise<Verification>;

  /**
   * Checks on every request whether the part of the credential beside the secret, such as an access key, belongs to the
   * account. Absent if the credential has only the secret.
   */
  fits?(presented: PresentedCredentials, account: Account): boolean;

  /**
   * @returns whether the request needs no check of its `Origin` header. This is so if no browser adds the credential
   * automatically, because a page of another site then cannot cause the request (contract 1).
   */
  liftsOriginCheck?(presented: PresentedCredentials): boolean;

  /**
   * Checks a credential again after the request that it authenticated: when a ticket (single-use token in a URL) that
   * the request got is used, and while a connection that the request opened stays open.
   * @param account current state of the caller's account, which is active
   * @returns whether a credential that was verified earlier, and has not expired, is still valid
   */
  stillGood(caller: Caller, account: Account, now: number): boolean;
}

export interface CredentialUse {
  /** Minimum time (ms) between two recorded uses of one credential. */
  readonly everyMs: number;
  /** Whether a use extends the expiry of the credential. The cookie in the browser then has to be renewed. */
  readonly extends: boolean;
  note(id: string, now: number, expiresAt: number | null): void;
}
