import type { Role, Status } from '@svc/contract';
import type { Account, Team } from './principal.ts';
import type { ScopeSet } from './scopes.ts';

/*
 * What the core needs from outside. Stores are synchronous: the database is SQLite in the same process, so a use
 * case without an `await` is one step for everyone else, and a transaction cannot be held open across one
 * (docs/decisions/0002). A store that cannot answer throws `Unavailable`; a taken unique value throws `Conflict`.
 *
 * Each store has two faces: a reader, at hand everywhere, and the store itself, which only a transaction gives out.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** In which queue a password waits for its hashing, and whose share of it it takes. */
export interface HashingPlace {
  /** A signed-in caller, or an address that signed in to the account before: goes before all strangers. */
  readonly known: boolean;
  /** The socket's own address; null: nobody's. One peer never takes all places. */
  readonly peer: string | null;
}

/** bcrypt off the event loop. Rejects with the refusal `overloaded` when there is no place. */
export interface PasswordHasher {
  /** Without a place: the server itself asks. */
  hash(password: string, place?: HashingPlace): Promise<string>;
  /** `workCost`: take as long as a comparison at this cost takes, however cheap the hash. */
  matches(
    password: string,
    hash: string,
    options?: { readonly place?: HashingPlace; readonly workCost?: number },
  ): Promise<boolean>;
}

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export interface NewAccount {
  id: string;
  email: string;
  name: string;
  role: Role;
  status: Status;
  accessKey: string;
  passwordHash: string | null;
  temporaryPasswordUntil: number | null;
  defaultPassword: boolean;
  createdAt: number;
}

export type AccountChange = Partial<{
  name: string;
  role: Role;
  status: Status;
  accessKey: string;
  passwordHash: string;
  temporaryPasswordUntil: number | null;
  defaultPassword: boolean;
  lastSignInAt: number;
  signInEpoch: number;
  sparedSignIn: string | null;
}>;

export interface AccountReader {
  byId(id: string): Account | undefined;
  byAccessKey(accessKey: string): Account | undefined;
  /** Any letter case. */
  byEmail(email: string): Account | undefined;
  passwordHash(id: string): string | null;
  /** By creation time, then id. */
  list(): Account[];
  isEmpty(): boolean;
  /** Whether an active account still has the built-in password (contract 5). */
  hasDefaultPassword(): boolean;
  countActive(role: Role): number;
  oldestActive(role: Role): Account | undefined;
}

export interface AccountStore extends AccountReader {
  /** Throws `Conflict` when the e-mail (any letter case) or the access key is taken. */
  insert(account: NewAccount): void;
  update(id: string, change: AccountChange): void;
  /** Removes the account with its sign-ins, keys, reset links and memberships. */
  remove(id: string): void;
}

/** A long-lived secret of a user: Profile token or admin-created API key (specification 2). */
export interface ApiToken {
  readonly id: string;
  readonly ownerId: string;
  readonly kind: 'profile' | 'api-key';
  readonly name: string;
  readonly scopes: ScopeSet;
  readonly rateLimit: number;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface ApiTokenReader {
  /** By SHA-256 of the secret (hex). Revoked ones are not found. */
  byHash(hash: string): ApiToken | undefined;
  byId(id: string): ApiToken | undefined;
  /** Newest first. */
  listOf(ownerId: string): ApiToken[];
  /** Newest first. */
  listAll(): ApiToken[];
  /** How many are bound to a team. */
  countOfTeam(teamId: string): number;
  /** Notes a use, in memory; written behind, so a crash may lose the last seconds of it. Needs no transaction. */
  touch(id: string, at: number): void;
}

export interface ApiTokenStore extends ApiTokenReader {
  insert(token: ApiToken, hash: string): void;
  /** False when there was nothing to revoke. */
  revoke(id: string): boolean;
  /** False when there is no such token. */
  setRateLimit(id: string, rateLimit: number): boolean;
}

/** The record behind a dashboard cookie (specification 2, Dashboard sign-in). */
export interface SignIn {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | null;
  /** A sign-in opened with a key or bearer token is limited to these; null: all the role allows. */
  readonly scopes: ScopeSet | null;
  /** It cannot slide past this moment; null: no bound. */
  readonly until: number | null;
  /** The API token it was opened with; it ends when that one is revoked. */
  readonly apiTokenId: string | null;
  /** The team of the key it goes back to; null: none, or opened before this was kept. */
  readonly teamId: string | null;
}

export interface SignInReader {
  /** By SHA-256 of the cookie (hex). */
  byHash(hash: string): SignIn | undefined;
  byId(id: string): SignIn | undefined;
  /** Newest first. */
  listOf(accountId: string): SignIn[];
  /** Moves its end, in memory; written behind, like `ApiTokenReader.touch`. */
  extend(id: string, lastSeenAt: number, expiresAt: number): void;
}

export interface SignInStore extends SignInReader {
  insert(signIn: SignIn, hash: string): void;
  /** False when there was none. */
  end(id: string): boolean;
  /** Ends all of an account but `exceptId`; answers the ids that ended. */
  endAllOf(accountId: string, exceptId?: string): string[];
  removeExpired(now: number): void;
}

export interface ResetLink {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface ResetLinkReader {
  /** By SHA-256 of the token (hex); spent and cancelled ones are not found. */
  byHash(hash: string): ResetLink | undefined;
}

export interface ResetLinkStore extends ResetLinkReader {
  insert(link: ResetLink, hash: string): void;
  cancelAllOf(accountId: string): void;
  removeExpired(now: number): void;
}

interface TeamReader {
  byId(id: string): Team | undefined;
  byName(name: string): Team | undefined;
  list(): Team[];
  membersOf(id: string): Account[];
}

export interface TeamStore extends TeamReader {
  /** Throws `Conflict` when the name is taken. */
  insert(team: Team): void;
  remove(id: string): void;
  addMember(teamId: string, accountId: string): void;
  /** False when they were none. */
  removeMember(teamId: string, accountId: string): boolean;
}

/** What happened. Never holds a secret. */
export interface AuditEvent {
  /** Named after the OWASP logging vocabulary: `authn_login_success`, `authz_fail`, `user_created`, … */
  readonly event: string;
  readonly outcome: 'success' | 'failure';
  /** Account id or e-mail of who did it; null: nobody known. */
  readonly actor: string | null;
  readonly target: string | null;
  /** The client's address as the proxies on the way claim it. */
  readonly address: string | null;
  /** The socket's own address; null: there was no connection, or a version wrote the row that did not keep it. */
  readonly peer: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

/** Before the trail gives it its place in the chain. */
export interface AuditEntry extends AuditEvent {
  readonly id: string;
  readonly at: number;
}

export interface AuditRow extends AuditEntry {
  readonly hash: string;
  readonly previousHash: string;
}

/** The end of the audit trail, for keeping elsewhere. */
export interface AuditHead {
  /** Rows ever written, those that retention removed included. */
  readonly count: number;
  /** Of the last one; 64 zeros when there is none. */
  readonly hash: string;
}

export interface AuditCheck {
  readonly head: AuditHead;
  /** Rows that retention removed. */
  readonly removed: number;
  /** Rows of a version whose chain had no key: whoever could write the database then could rewrite them. */
  readonly unkeyed: number;
  /** The first thing that does not fit, with the row's id; null: the chain holds. */
  readonly problem: string | null;
}

export interface RemovedRows {
  readonly count: number;
  /** What did not fit among them, as in `AuditCheck`. */
  readonly problem: string | null;
}

/** An account and an address it signed in from. */
export interface PastSignIn {
  readonly accountId: string;
  readonly address: string;
}

interface AuditReader {
  has(id: string): boolean;
  /** Last appended first; `before` is an id: only what was appended before that row. */
  page(before: string | null, limit: number): AuditRow[];
  head(): AuditHead;
  /** Reads every row, to say whether any was changed, added or removed past this store. */
  check(): AuditCheck;
  /** Where accounts signed in from, newest first: of each only so many, so that none pushes out the others. */
  pastSignIns(ofEach: number): PastSignIn[];
}

export interface AuditStore extends AuditReader {
  /** Throws `Conflict` when the id is taken. */
  append(entry: AuditEntry): void;
  /**
   * Removes the oldest rows up to the first that happened at `time` or later, at most `most` of them. The chain then
   * begins after them.
   */
  removeBefore(time: number, most: number): RemovedRows;
}

interface ReplayReader {
  isSpent(id: string): boolean;
}

/** Marks ids as spent for good; survives a restart (contract 4, tickets). */
export interface ReplayStore extends ReplayReader {
  /** True the first time only. `expiresAt` tells when the mark may be forgotten. */
  spend(id: string, expiresAt: number): boolean;
  removeExpired(now: number): void;
}

/** Settings saved over the API (contract 2, `/config`). */
interface SettingReader {
  all(): ReadonlyMap<string, unknown>;
}

export interface SettingStore extends SettingReader {
  /** Those named; the others stay. `undefined` takes one back to its default. */
  save(values: ReadonlyMap<string, unknown>): void;
}

/** What can be read at any time. Within a transaction both faces read the same, its own changes included. */
export interface Readers {
  readonly accounts: AccountReader;
  readonly apiTokens: ApiTokenReader;
  readonly signIns: SignInReader;
  readonly resetLinks: ResetLinkReader;
  readonly teams: TeamReader;
  readonly audit: AuditReader;
  readonly replay: ReplayReader;
  readonly settings: SettingReader;
}

/** An open transaction. A step that has to join the transaction of its caller takes it as its first argument. */
export interface StoreTransaction extends Readers {
  readonly accounts: AccountStore;
  readonly apiTokens: ApiTokenStore;
  readonly signIns: SignInStore;
  readonly resetLinks: ResetLinkStore;
  readonly teams: TeamStore;
  readonly audit: AuditStore;
  readonly replay: ReplayStore;
  readonly settings: SettingStore;
}

export interface Stores extends Readers {
  /**
   * Everything `work` does happens or nothing does. None within another; `work` must not return a promise, and the
   * `tx` it is given writes nothing once it has returned.
   */
  readonly transaction: <T>(work: (tx: StoreTransaction) => T) => T;
  /** Does it now or, within a transaction, as soon as that is over, however it ended. `work` must not throw. */
  readonly afterTransaction: (work: () => void) => void;
  /**
   * Another number as soon as an account, API token or sign-in that was handed out may read differently: changed,
   * removed or taken back. A last use or a slid expiry is no such change, and neither is a new row.
   */
  readonly version: () => number;
}
