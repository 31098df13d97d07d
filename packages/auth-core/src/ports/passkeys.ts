import type { Rejected } from '../credentials/verification.ts';
import type { RelyingParty } from '../policy/relying-party.ts';
import type { Stores } from './stores.ts';

/** Facts that an authenticator sent about a passkey when it was registered. It holds no secret. */
export interface RegisteredCredential {
  /** Id that the authenticator gave the passkey, in base64url. No two passkeys of the lab have the same. */
  readonly credentialId: string;
  /** Public key in COSE form, in base64url. */
  readonly publicKey: string;
  /** Number of signatures that the authenticator counted, or 0 if it counts none. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Model of the authenticator, or zeros if it does not say. */
  readonly aaguid: string;
  /** Whether the passkey stays on one device or is synchronised. */
  readonly deviceType: 'singleDevice' | 'multiDevice';
  readonly backedUp: boolean;
}

/** A passkey of an account. Times are in ms since 1970. */
export interface Passkey extends RegisteredCredential {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** RP ID for which the passkey was registered. Browsers offer it only at addresses of this name. */
  readonly rpId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A use of a passkey, as its row stores it. */
export type PasskeyUse = Pick<Passkey, 'counter' | 'backedUp'> & { readonly lastUsedAt: number };

export interface PasskeyStore {
  byCredential(credentialId: string): Passkey | undefined;
  byId(id: string): Passkey | undefined;
  /** Returns the passkeys of an account, newest first. */
  listOf(accountId: string): Passkey[];
  /**
   * Returns the user handle of an account, which authenticators store instead of its id or e-mail address. Undefined if
   * the account has never begun to add a passkey.
   */
  handleOf(accountId: string): string | undefined;
  saveHandle(accountId: string, handle: string): void;
  /** Throws `Conflict` if the credential id is taken. */
  insert(passkey: Passkey): void;
  rename(id: string, name: string): void;
  noteUse(id: string, use: PasskeyUse): void;
  remove(id: string): void;
}

/** Stores for flows about passkeys. Writes to `passkeys` belong into `transaction`. */
export interface PasskeyStores extends Stores {
  readonly passkeys: PasskeyStore;
}

/** What the response of an authenticator has to fit. */
export interface ExpectedResponse {
  readonly rpId: string;
  readonly origin: string;
  readonly challenge: string;
}

/** The WebAuthn part of registering and using passkeys. It reads no store and keeps nothing. */
export interface PasskeyCeremonies {
  /** Returns the options for `navigator.credentials.create`, in their JSON form. */
  registrationOptions(input: {
    readonly party: Pick<RelyingParty, 'rpId'>;
    readonly challenge: Uint8Array;
    readonly handle: string;
    readonly email: string;
    readonly name: string;
    readonly existing: readonly Passkey[];
  }): Promise<object>;
  verifyRegistration(response: object, expected: ExpectedResponse): Promise<RegisteredCredential | Rejected>;
  /** Returns the options for `navigator.credentials.get`, in their JSON form. They name no account and no passkey. */
  authenticationOptions(input: {
    readonly party: Pick<RelyingParty, 'rpId'>;
    readonly challenge: Uint8Array;
  }): Promise<object>;
  /** Verifies a signature of the passkey. It does not compare the counter with the stored one. */
  verifyAuthentication(
    response: object,
    expected: ExpectedResponse,
    passkey: Passkey,
  ): Promise<Pick<Passkey, 'counter' | 'backedUp'> | Rejected>;
}

/** Loads the ceremonies when they are first used, because their code is large (contract 10). */
export type LoadCeremonies = () => Promise<PasskeyCeremonies>;
