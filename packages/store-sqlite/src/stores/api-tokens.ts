import { type ApiToken, type ApiTokenStore, Conflict } from '@svc/auth-core';
import type { Selectable } from 'kysely';
import type { Memory } from '../cache/memory.ts';
import type { Connection } from '../connection/connection.ts';
import type { Prepare } from '../connection/statements.ts';
import type { ApiTokensTable } from '../schema/tables.ts';
import { apiTokenStatements } from './api-token-statements.ts';
import { scopesOf, scopeText } from './scope-text.ts';

export class ApiTokens implements ApiTokenStore {
  readonly #connection: Connection;
  readonly #memory: Memory;
  readonly #statements: ReturnType<typeof apiTokenStatements>;

  constructor(connection: Connection, prepare: Prepare, memory: Memory) {
    this.#connection = connection;
    this.#memory = memory;
    this.#statements = apiTokenStatements(prepare);
    memory.writeBehind.add({ waiting: memory.lastUsed, write: () => this.#writeLastUsed() });
  }

  byHash(hash: string): ApiToken | undefined {
    this.#connection.fresh();
    return this.#memory.apiTokens.byKey(hash) ?? this.#remember(this.#statements.byHash.first({ hash }));
  }

  byId(id: string): ApiToken | undefined {
    this.#connection.fresh();
    return this.#memory.apiTokens.byId(id) ?? this.#remember(this.#statements.byId.first({ id }));
  }

  listOf(ownerId: string): ApiToken[] {
    return this.#statements.listOf.all({ ownerId }).map((row) => this.#tokenOf(row));
  }

  listAll(): ApiToken[] {
    return this.#statements.listAll.all({}).map((row) => this.#tokenOf(row));
  }

  /**
   * A key stays bound to its team when the team goes: a foreign key that forgot the team would let the key see
   * more than before. Hence the check for the team is here.
   */
  insert(token: ApiToken, hash: string): void {
    const { teamId } = token;
    if (teamId !== null && this.#statements.team.first({ teamId }) === undefined) {
      throw new Conflict('the team is gone');
    }
    this.#statements.insert.run({ ...token, hash, scopes: scopeText(token.scopes) });
  }

  /** The row goes; that there was one is kept in the audit trail. */
  revoke(id: string): boolean {
    for (const signIn of this.#statements.endSignIns.all({ id })) this.#memory.dropSignIn(signIn.id);
    this.#memory.dropApiToken(id);
    return this.#statements.remove.run({ id }) > 0;
  }

  setRateLimit(id: string, rateLimit: number): boolean {
    const changed = this.#statements.setRateLimit.run({ id, rateLimit }) > 0;
    this.#memory.apiTokens.drop(id);
    return changed;
  }

  countOfTeam(teamId: string): number {
    return this.#statements.countOfTeam.first({ teamId })?.count ?? 0;
  }

  touch(id: string, at: number): void {
    const { apiTokens, lastUsed, writeBehind } = this.#memory;
    const token = apiTokens.byId(id) ?? this.byId(id);
    if (token === undefined) return;
    apiTokens.replace({ ...token, lastUsedAt: later(token.lastUsedAt, at) });
    lastUsed.set(id, later(lastUsed.get(id) ?? null, at));
    writeBehind.schedule();
  }

  #writeLastUsed(): void {
    for (const [id, at] of this.#memory.lastUsed.take()) this.#statements.touch.run({ id, at });
  }

  #remember(row: Row | undefined): ApiToken | undefined {
    if (row === undefined) return undefined;
    const token = this.#tokenOf(row);
    this.#memory.apiTokens.add(row.hash, token);
    return token;
  }

  #tokenOf(row: Row): ApiToken {
    const used = this.#memory.lastUsed.get(row.id);
    return {
      id: row.id,
      ownerId: row.owner_id,
      kind: row.kind,
      name: row.name,
      scopes: scopesOf(row.scopes),
      rateLimit: row.rate_limit,
      teamId: row.team_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: used === undefined ? row.last_used_at : later(row.last_used_at, used),
    };
  }
}

type Row = Selectable<ApiTokensTable>;

/** Two processes may tell of the same token in any order. */
function later(a: number | null, b: number): number {
  return a === null || a < b ? b : a;
}
