import type { Rejected } from '@svc/auth-core';
import type { AccountStores, AccountTransaction } from '../ports/stores.ts';
import type { RelyingParty } from './relying-party.ts';

/** Public facts that an authenticator sent when a passkey was registered. None of them is secret. */
export interface RegisteredCredential {
  /** Id that the authenticator chose for the passkey, in base64url. It is unique in the lab. */
  readonly credentialId: string;
  /** Public key in COSE form, in base64url. */
  readonly publicKey: string;
  /** Number of signatures that the authenticator has counted, or 0 if it does not count them. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Id of the authenticator's model (AAGUID), all zeros if the authenticator does not state it. */
  readonly aaguid: string;
  /** Whether the passkey stays on one device (`singleDevice`) or is synchronised (`multiDevice`). */
  readonly deviceType: 'singleDevice' | 'multiDevice';
  readonly backedUp: boolean;
}

/** A passkey of an account. Times are in ms since 1970. */
export interface Passkey extends RegisteredCredential {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /**
   * RP ID (host name) for which the passkey was registered. Browsers offer the passkey only on pages of this host name.
   */
  readonly rpId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Fields that each use of a passkey updates. */
export type PasskeyUse = Pick<Passkey, 'counter' | 'backedUp'> & { readonly lastUsedAt: number };

interface PasskeyReader {
  byCredential(credentialId: string): Passkey | undefined;
  byId(id: string): Passkey | undefined;
  /** Returns the passkeys of an account, newest first. */
  listOf(accountId: string): Passkey[];
  /**
   * Returns the user handle of an account, which authenticators store instead of its id or e-mail address. Undefined if
   * the account has never begun to add a passkey.
   */
  handleOf(accountId: string): string | undefined;
}

export interface PasskeyStore extends PasskeyReader {
  saveHandle(accountId: string, handle: string): void;
  /** Adds a passkey. Throws `Conflict` if its credential id is taken. */
  insert(passkey: Passkey): void;
  rename(id: string, name: string): void;
  noteUse(id: string, use: PasskeyUse): void;
  remove(id: string): void;
}

export interface PasskeyTransaction extends AccountTransaction {
  readonly passkeys: PasskeyStore;
}

/** Stores for flows about passkeys. */
export interface PasskeyStores extends AccountStores {
  readonly passkeys: PasskeyReader;
  readonly transaction: <T>(work: (tx: PasskeyTransaction) => T) => T;
}

/** Values that the response of an authenticator has to match. */
export interface ExpectedResponse {
  readonly rpId: string;
  readonly origin: string;
  readonly challenge: string;
}

/**
 * Creates the WebAuthn options for registering and using passkeys, and verifies the responses. It reads no store and
 * keeps no state.
 */
export interface PasskeyCeremonies {
  /** Returns the JSON options for `navigator.credentials.create`. */
  registrationOptions(input: {
    readonly party: Pick<RelyingParty, 'rpId'>;
    readonly challenge: Uint8Array;
    readonly handle: string;
    readonly email: string;
    readonly name: string;
    readonly existing: readonly Passkey[];
  }): Promise<object>;
  verifyRegistration(response: object, expected: ExpectedResponse): Promise<RegisteredCredential | Rejected>;
  /**
   * Returns the JSON options for `navigator.credentials.get`. They are sent before sign-in, so they contain no account
   * and no passkey: otherwise anyone could find out which accounts exist.
   */
  authenticationOptions(input: {
    readonly party: Pick<RelyingParty, 'rpId'>;
    readonly challenge: Uint8Array;
  }): Promise<object>;
  /**
   * Verifies the signature that a passkey made. The caller must also compare the signature counter with the stored one,
   * because a counter that does not grow can be that of a copied passkey.
   */
  verifyAuthentication(
    response: object,
    expected: ExpectedResponse,
    passkey: Passkey,
  ): Promise<Pick<Passkey, 'counter' | 'backedUp'> | Rejected>;
}

/** Loads the WebAuthn code at its first use, because it is large (contract 10). */
export type LoadCeremonies = () => Promise<PasskeyCeremonies>;
