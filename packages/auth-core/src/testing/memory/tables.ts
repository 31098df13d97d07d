import type { ChainMark, NumberedRow } from '../../audit-chain.ts';
import type {
  ApiToken,
  DirectoryEntry,
  Identity,
  NewAccount,
  ProviderSignInRecord,
  ResetLink,
  Revocation,
  SignIn,
  TrustRule,
} from '../../ports/index.ts';
import type { Account, Team } from '../../principal.ts';
import { type Journal, Rows } from './journal.ts';

export type AccountRow = Omit<Account, 'teams'> & Pick<NewAccount, 'passwordHash'>;
export type Hashed<V> = V & { readonly hash: string };
interface Membership {
  readonly teamId: string;
  readonly accountId: string;
}

export interface Tables {
  readonly accounts: Rows<AccountRow>;
  readonly teams: Rows<Team>;
  readonly memberships: Rows<Membership>;
  readonly apiTokens: Rows<Hashed<ApiToken>>;
  /** Time (ms since 1970) of the next expiry notice about each API token, by its id. */
  readonly nextNotices: Rows<number>;
  readonly signIns: Rows<Hashed<SignIn>>;
  readonly resetLinks: Rows<Hashed<ResetLink>>;
  readonly audit: Rows<NumberedRow>;
  readonly auditMarks: Rows<ChainMark>;
  /** Spent ids of tickets and tokens, with the time (ms since 1970) from which the entry is no longer needed. */
  readonly replay: Rows<number>;
  readonly revocations: Rows<Revocation>;
  readonly settings: Rows<unknown>;
  readonly trustRules: Rows<TrustRule>;
  /** SCIM entries of identity providers, by account id. */
  readonly directoryUsers: Rows<DirectoryEntry>;
  readonly identities: Rows<Identity>;
  readonly unconfirmedEmails: Rows<true>;
  readonly providerSignIns: Rows<ProviderSignInRecord & { readonly endedAt: number | null }>;
}

export function emptyTables(journal: Journal): Tables {
  return {
    accounts: new Rows(journal),
    teams: new Rows(journal),
    memberships: new Rows(journal),
    apiTokens: new Rows(journal),
    nextNotices: new Rows(journal),
    signIns: new Rows(journal),
    resetLinks: new Rows(journal),
    audit: new Rows(journal),
    auditMarks: new Rows(journal),
    replay: new Rows(journal),
    revocations: new Rows(journal),
    settings: new Rows(journal),
    trustRules: new Rows(journal),
    directoryUsers: new Rows(journal),
    identities: new Rows(journal),
    unconfirmedEmails: new Rows(journal),
    providerSignIns: new Rows(journal),
  };
}

export function withoutHash<V extends object>(row: Hashed<V> | undefined): V | undefined {
  if (row === undefined) return undefined;
  const { hash: _, ...rest } = row;
  return rest as unknown as V;
}

interface Made {
  readonly id: string;
  readonly createdAt: number;
}

export function oldestFirst(a: Made, b: Made): number {
  return a.createdAt - b.createdAt || textOrder(a.id, b.id);
}

export function newestFirst(a: Made, b: Made): number {
  return oldestFirst(b, a);
}

/**
 * @returns whether the text contains `part`. The letters A to Z match in upper and lower case, as with SQLite's
 * function `lower`
 */
export function hasText(text: string, part: string): boolean {
  return asciiLower(text).includes(asciiLower(part));
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Orders texts by code point, as SQLite does. */
export function textOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
