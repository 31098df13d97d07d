/** Data that an identity provider sent about an account over SCIM. */
export interface DirectoryEntry {
  /** The provider's own id of the person (RFC 7643 3.1), or null if the provider sent none. */
  readonly externalId: string | null;
  /**
   * Whether the provider deleted the user. The account is then Inactive, and SCIM requests no longer return it (RFC
   * 7644 3.6).
   */
  readonly isDeleted: boolean;
  /**
   * Whether the provider made the account Inactive and no one changed its status by hand since. Only then may the
   * provider make it Active again (contract 10.5).
   */
  readonly isDeactivated: boolean;
}

/**
 * Reads accounts for an identity provider, which manages them over SCIM. An account that the provider deleted is left
 * out until it is active again.
 */
export interface DirectoryUserReader {
  /** Returns what the provider sent about an account, or undefined if the provider has never changed the account. */
  entryOf(accountId: string): DirectoryEntry | undefined;
  /**
   * Returns the ids of the accounts with this external id, at most `limit`, without accounts that the provider deleted.
   */
  byExternalId(externalId: string, limit: number): string[];
  /** Returns the ids of the accounts, oldest first, without accounts that the provider deleted. */
  page(offset: number, limit: number): string[];
  count(): number;
}

export interface DirectoryUserStore extends DirectoryUserReader {
  /** Adds the entry of an account, or replaces it. Removing the account also removes the entry. */
  save(accountId: string, entry: DirectoryEntry): void;
}
