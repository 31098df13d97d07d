/** What an identity provider said about an account over SCIM. */
export interface DirectoryEntry {
  /** The provider's own id of the person (RFC 7643 3.1), or null if it sent none. */
  readonly externalId: string | null;
  /**
   * Whether the provider deleted the user. The account is Inactive, and the provider no longer sees it (RFC 7644 3.6).
   */
  readonly isDeleted: boolean;
}

/** Accounts as an identity provider sees them: all that it has not deleted, or that are active again. */
export interface DirectoryUserReader {
  /** Returns the entry of an account, or undefined if the provider has never changed the account. */
  entryOf(accountId: string): DirectoryEntry | undefined;
  /** Returns the ids of the accounts that the provider sees with this external id, at most `limit`. */
  byExternalId(externalId: string, limit: number): string[];
  /** Returns the ids of the accounts that the provider sees, oldest first. */
  page(offset: number, limit: number): string[];
  count(): number;
}

export interface DirectoryUserStore extends DirectoryUserReader {
  /** Adds the entry of an account or replaces it. The entry is removed with its account. */
  save(accountId: string, entry: DirectoryEntry): void;
}
