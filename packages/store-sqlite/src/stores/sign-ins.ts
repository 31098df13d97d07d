import type { Clock, SignIn, SignInStore } from '@svc/auth-core';
import type { Caches, Extension } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { SignInRow } from '../schema/rows/credentials.ts';
import { type RuleColumns, ruleColumns, ruleOf } from './rule-columns.ts';
import { scopesOf, scopeText } from './scope-text.ts';

/**
 * A sign-in's new expiry or last use is written to the table when it differs from the stored value by more than this
 * time (ms), or by more than `WORTH_WRITING_PART` of the sign-in's remaining lifetime.
 */
const WORTH_WRITING_MS = 60_000;
const WORTH_WRITING_PART = 0.1;

/**
 * Maximum number of sign-ins whose new expiry and last use are only in memory. If there are more, the oldest of these
 * values are written to the table early.
 */
const MAX_PENDING = 10_000;

export class SignInRows implements SignInStore {
  readonly #connection: Connection;
  readonly #caches: Caches;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, caches: Caches, clock: Clock) {
    this.#connection = connection;
    this.#caches = caches;
    this.#clock = clock;
    this.#statements = statements(connection);
    caches.writeBehind.add({
      pending: caches.extensions,
      write: (most, all) => this.#writeExtensions(most, all),
    });
  }

  byHash(hash: string): SignIn | undefined {
    this.#connection.checkForOtherWriters();
    return this.#caches.signIns.byKey(hash) ?? this.#remember(this.#statements.byHash.get({ hash }));
  }

  byId(id: string): SignIn | undefined {
    this.#connection.checkForOtherWriters();
    return this.#caches.signIns.byId(id) ?? this.#remember(this.#statements.byId.get({ id }));
  }

  listOf(accountId: string): SignIn[] {
    return this.#statements.listOf.all({ accountId }).map((row) => this.#signInOf(row));
  }

  insert(signIn: SignIn, hash: string): void {
    const scopes = signIn.scopes === null ? null : scopeText(signIn.scopes);
    const { rule, openedWith, ...row } = signIn;
    const opened = openedWith.length === 0 ? null : openedWith.join(' ');
    this.#statements.insert.run({ ...row, ...ruleColumns(rule), hash, scopes, openedWith: opened });
  }

  extend(id: string, lastSeenAt: number, expiresAt: number): void {
    const { signIns, extensions, writeBehind } = this.#caches;
    const signIn = signIns.byId(id) ?? this.byId(id);
    if (signIn === undefined) return;
    const written = extensions.get(id)?.written ?? signIn;
    const due = this.#worthWriting(written, { lastSeenAt, expiresAt });
    extensions.set(id, { lastSeenAt, expiresAt, written, due });
    signIns.replace({ ...signIn, lastSeenAt, expiresAt });
    if (due || extensions.size > MAX_PENDING) writeBehind.schedule();
  }

  prove(id: string, provenAt: number): void {
    this.#statements.prove.run({ id, provenAt });
    // Do not call `dropSignIn` here, because it would also discard a new expiry that is not yet in the table.
    this.#caches.signIns.drop(id);
  }

  end(id: string): boolean {
    const ended = this.#statements.end.run({ id }) > 0;
    this.#caches.dropSignIn(id);
    return ended;
  }

  endAllOf(accountId: string, exceptId = ''): string[] {
    return this.#ended(this.#statements.endAllOf.all({ accountId, exceptId }));
  }

  /**
   * Removes expired sign-ins. First writes every new expiry that is still only in memory. Otherwise, sign-ins that are
   * in use would be removed because of the old expiry in the table.
   */
  removeExpired(now: number): void {
    this.#writeExtensions(Number.POSITIVE_INFINITY, true);
    this.#ended(this.#statements.removeExpired.all({ now }));
  }

  #ended(rows: readonly { id: string }[]): string[] {
    for (const { id } of rows) this.#caches.dropSignIn(id);
    return rows.map(({ id }) => id);
  }

  #worthWriting(written: Extension['written'], next: Extension['written']): boolean {
    const remaining = written.expiresAt - this.#clock.now();
    const worth = Math.min(WORTH_WRITING_MS, WORTH_WRITING_PART * remaining);
    const moved = Math.max(
      Math.abs(next.expiresAt - written.expiresAt),
      Math.abs(next.lastSeenAt - written.lastSeenAt),
    );
    return moved > worth;
  }

  #writeExtensions(most: number, all: boolean): number {
    const { extensions } = this.#caches;
    const everything = all || extensions.size > MAX_PENDING;
    const due = extensions.take(most, (extension) => everything || extension.due);
    for (const [id, { lastSeenAt, expiresAt }] of due)
      this.#statements.extend.run({ id, lastSeenAt, expiresAt });
    return due.length;
  }

  #remember(row: SignInRow | undefined): SignIn | undefined {
    if (row === undefined) return undefined;
    const signIn = this.#signInOf(row);
    this.#caches.signIns.add(row.hash, signIn);
    return signIn;
  }

  #signInOf(row: SignInRow): SignIn {
    const extension = this.#caches.extensions.get(row.id);
    return {
      id: row.id,
      accountId: row.account_id,
      createdAt: row.created_at,
      lastSeenAt: extension?.lastSeenAt ?? row.last_seen_at,
      expiresAt: extension?.expiresAt ?? row.expires_at,
      userAgent: row.user_agent,
      scopes: row.scopes === null ? null : scopesOf(row.scopes),
      until: row.until,
      apiTokenId: row.api_token_id,
      teamId: row.team_id,
      provenAt: row.proven_at,
      rule: ruleOf(row),
      openedWith: row.opened_with?.split(' ') ?? [],
    };
  }
}

function statements(connection: Connection) {
  return { ...lookUps(connection), ...changes(connection), ...removals(connection) };
}

function lookUps(connection: Connection) {
  return {
    byHash: connection.prepare<{ hash: string }, SignInRow>('select * from sign_ins where hash = @hash'),
    byId: connection.prepare<{ id: string }, SignInRow>('select * from sign_ins where id = @id'),
    listOf: connection.prepare<{ accountId: string }, SignInRow>(
      'select * from sign_ins where account_id = @accountId order by created_at desc, id desc',
    ),
  };
}

type InsertedSignIn = Omit<SignIn, 'scopes' | 'openedWith' | 'rule'> &
  RuleColumns & { hash: string; scopes: string | null; openedWith: string | null };

function changes(connection: Connection) {
  return {
    insert: connection.prepare<InsertedSignIn, never>(`
      insert into sign_ins (
        id, account_id, hash, created_at, last_seen_at, expires_at,
        user_agent, scopes, until, api_token_id, team_id, proven_at,
        rule_id, rule_subject, rule_run, opened_with
      ) values (
        @id, @accountId, @hash, @createdAt, @lastSeenAt, @expiresAt,
        @userAgent, @scopes, @until, @apiTokenId, @teamId, @provenAt,
        @ruleId, @ruleSubject, @ruleRun, @openedWith
      )`),
    prove: connection.prepare<{ id: string; provenAt: number }, never>(
      'update sign_ins set proven_at = @provenAt where id = @id',
    ),
    extend: connection.prepare<{ id: string; lastSeenAt: number; expiresAt: number }, never>(
      'update sign_ins set last_seen_at = @lastSeenAt, expires_at = @expiresAt where id = @id',
    ),
  };
}

function removals(connection: Connection) {
  return {
    end: connection.prepare<{ id: string }, never>('delete from sign_ins where id = @id'),
    endAllOf: connection.prepare<{ accountId: string; exceptId: string }, { id: string }>(
      'delete from sign_ins where account_id = @accountId and id <> @exceptId returning id',
    ),
    removeExpired: connection.prepare<{ now: number }, { id: string }>(
      'delete from sign_ins where expires_at <= @now returning id',
    ),
  };
}
