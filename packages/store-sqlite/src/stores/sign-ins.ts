import type { Clock, SignIn, SignInStore } from '@svc/auth-core';
import type { Selectable } from 'kysely';
import type { Extension, Memory } from '../cache/memory.ts';
import type { Connection } from '../connection/connection.ts';
import type { Prepare } from '../connection/statements.ts';
import type { SignInsTable } from '../schema/tables.ts';
import { scopesOf, scopeText } from './scope-text.ts';
import { signInStatements } from './sign-in-statements.ts';

/** An extension is written once it moved by more than this, or by this part of the life that remains. */
const WORTH_WRITING_MS = 60_000;
const WORTH_WRITING_PART = 0.1;

/** More unwritten extensions than this are not kept in memory. */
const MOST_WAITING = 10_000;

type Row = Selectable<SignInsTable>;

export class SignIns implements SignInStore {
  readonly #connection: Connection;
  readonly #memory: Memory;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof signInStatements>;

  constructor(connection: Connection, prepare: Prepare, memory: Memory, clock: Clock) {
    this.#connection = connection;
    this.#memory = memory;
    this.#clock = clock;
    this.#statements = signInStatements(prepare);
    memory.writeBehind.add({ waiting: memory.extensions, write: (all) => this.#writeExtensions(all) });
  }

  byHash(hash: string): SignIn | undefined {
    this.#connection.fresh();
    return this.#memory.signIns.byKey(hash) ?? this.#remember(this.#statements.byHash.first({ hash }));
  }

  byId(id: string): SignIn | undefined {
    this.#connection.fresh();
    return this.#memory.signIns.byId(id) ?? this.#remember(this.#statements.byId.first({ id }));
  }

  listOf(accountId: string): SignIn[] {
    return this.#statements.listOf.all({ accountId }).map((row) => this.#signInOf(row));
  }

  insert(signIn: SignIn, hash: string): void {
    const scopes = signIn.scopes === null ? null : scopeText(signIn.scopes);
    this.#statements.insert.run({ ...signIn, hash, scopes });
  }

  extend(id: string, lastSeenAt: number, expiresAt: number): void {
    const { signIns, extensions, writeBehind } = this.#memory;
    const signIn = signIns.byId(id) ?? this.byId(id);
    if (signIn === undefined) return;
    const written = extensions.get(id)?.written ?? signIn;
    const due = this.#worthWriting(written, { lastSeenAt, expiresAt });
    extensions.set(id, { lastSeenAt, expiresAt, written, due });
    signIns.replace({ ...signIn, lastSeenAt, expiresAt });
    if (due || extensions.size > MOST_WAITING) writeBehind.schedule();
  }

  end(id: string): boolean {
    const ended = this.#statements.end.run({ id }) > 0;
    this.#memory.dropSignIn(id);
    return ended;
  }

  endAllOf(accountId: string, exceptId = ''): string[] {
    return this.#ended(this.#statements.endAllOf.all({ accountId, exceptId }));
  }

  /** What waits is written first: the row of a sign-in in use may still hold an end that is past. */
  removeExpired(now: number): void {
    this.#writeExtensions(true);
    this.#ended(this.#statements.removeExpired.all({ now }));
  }

  #ended(rows: readonly { id: string }[]): string[] {
    for (const { id } of rows) this.#memory.dropSignIn(id);
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

  #writeExtensions(all: boolean): void {
    const { extensions } = this.#memory;
    const everything = all || extensions.size > MOST_WAITING;
    const due = extensions.take((extension) => everything || extension.due);
    for (const [id, { lastSeenAt, expiresAt }] of due)
      this.#statements.extend.run({ id, lastSeenAt, expiresAt });
  }

  #remember(row: Row | undefined): SignIn | undefined {
    if (row === undefined) return undefined;
    const signIn = this.#signInOf(row);
    this.#memory.signIns.add(row.hash, signIn);
    return signIn;
  }

  #signInOf(row: Row): SignIn {
    const extension = this.#memory.extensions.get(row.id);
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
    };
  }
}
