import {
  type ApiToken,
  type ApiTokenPage,
  type ApiTokenStore,
  Conflict,
  emailKey,
  firstNoticeAt,
  nextNoticeAt,
} from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { ApiTokenRow } from '../schema/rows/credentials.ts';
import { type RuleColumns, ruleColumns, ruleOf } from './rule-columns.ts';
import { scopesOf, scopeText } from './scope-text.ts';

/**
 * Maximum number of expired tokens that one call removes. The call is part of creating a token, which must not take
 * long.
 */
const MOST_REMOVED = 100;

/** Value of `next_notice_at` for tokens that get no further expiry notice. Larger than every time, so never due. */
const NO_NOTICE = Number.MAX_SAFE_INTEGER;
/** Time (ms) between the first expiry notice about a token and the token's expiry. */
const NOTICE_WINDOW_MS = -(firstNoticeAt(0) ?? 0);

export class ApiTokenRows implements ApiTokenStore {
  readonly #connection: Connection;
  readonly #caches: Caches;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, caches: Caches) {
    this.#connection = connection;
    this.#caches = caches;
    this.#statements = statements(connection);
    caches.writeBehind.add({ pending: caches.lastUsed, write: (most) => this.#writeLastUsed(most) });
  }

  byHash(hash: string): ApiToken | undefined {
    this.#connection.checkForOtherWriters();
    return this.#caches.apiTokens.byKey(hash) ?? this.#remember(this.#statements.byHash.get({ hash }));
  }

  byId(id: string): ApiToken | undefined {
    this.#connection.checkForOtherWriters();
    return this.#caches.apiTokens.byId(id) ?? this.#remember(this.#statements.byId.get({ id }));
  }

  listOf(ownerId: string): ApiToken[] {
    return this.#statements.listOf.all({ ownerId }).map((row) => this.#tokenOf(row));
  }

  listAll(): ApiToken[] {
    return this.#statements.listAll.all({}).map((row) => this.#tokenOf(row));
  }

  page({ now, search, kind, before, limit }: ApiTokenPage): ApiToken[] {
    return this.#statements.page
      .all({
        now,
        search: search ?? null,
        searchKey: search === undefined ? null : emailKey(search),
        kind: kind ?? null,
        placeAt: before?.createdAt ?? Number.MAX_SAFE_INTEGER,
        placeId: before?.id ?? '',
        limit,
      })
      .map((row) => this.#tokenOf(row));
  }

  /**
   * Adds a token, and throws if its team does not exist. The column `team_id` has no foreign key: if deleting the team
   * set the column to null, the token would no longer be limited to that team.
   */
  insert(token: ApiToken, hash: string): void {
    const { teamId } = token;
    if (teamId !== null && this.#statements.team.get({ teamId }) === undefined) {
      throw new Conflict('the team no longer exists');
    }
    const { expiresAt, createdAt } = token;
    const noticeAt = expiresAt === null ? null : (nextNoticeAt(expiresAt, createdAt) ?? NO_NOTICE);
    const { rule, ...row } = token;
    const isScim = token.kind === 'scim';
    this.#statements.insert.run({
      ...row,
      ...ruleColumns(rule),
      hash,
      kind: isScim ? 'api-key' : token.kind,
      scopes: scopeText(token.scopes),
      noticeAt,
      isScim: Number(isScim),
    });
  }

  withNoticeDue(now: number, most: number): ApiToken[] {
    const windowEnd = now + NOTICE_WINDOW_MS;
    return this.#statements.withNoticeDue.all({ now, windowEnd, most }).map((row) => this.#tokenOf(row));
  }

  setNextNotice(id: string, at: number | null): void {
    this.#statements.setNextNotice.run({ id, at: at ?? NO_NOTICE });
  }

  /** Removes the token's row. The audit trail still shows that the token existed. */
  revoke(id: string): boolean {
    for (const signIn of this.#statements.endSignIns.all({ id })) this.#caches.dropSignIn(signIn.id);
    this.#caches.dropApiToken(id);
    return this.#statements.remove.run({ id }) > 0;
  }

  removeExpiredProfileTokens(ownerId: string, now: number, keep: number): void {
    for (const { id } of this.#statements.expired.all({ ownerId, now, keep })) this.revoke(id);
  }

  setRateLimit(id: string, rateLimit: number): boolean {
    const changed = this.#statements.setRateLimit.run({ id, rateLimit }) > 0;
    this.#caches.apiTokens.drop(id);
    return changed;
  }

  countLiveProfileTokens(ownerId: string, now: number): number {
    return this.#statements.countLive.get({ ownerId, now })?.count ?? 0;
  }

  countOfTeam(teamId: string): number {
    return this.#statements.countOfTeam.get({ teamId })?.count ?? 0;
  }

  touch(id: string, at: number): void {
    const { apiTokens, lastUsed, writeBehind } = this.#caches;
    const token = apiTokens.byId(id) ?? this.byId(id);
    if (token === undefined) return;
    apiTokens.replace({ ...token, lastUsedAt: later(token.lastUsedAt, at) });
    lastUsed.set(id, later(lastUsed.get(id) ?? null, at));
    writeBehind.schedule();
  }

  #writeLastUsed(most: number): number {
    const uses = this.#caches.lastUsed.take(most);
    for (const [id, at] of uses) this.#statements.touch.run({ id, at });
    return uses.length;
  }

  #remember(row: ApiTokenRow | undefined): ApiToken | undefined {
    if (row === undefined) return undefined;
    const token = this.#tokenOf(row);
    this.#caches.apiTokens.add(row.hash, token);
    return token;
  }

  #tokenOf(row: ApiTokenRow): ApiToken {
    const used = this.#caches.lastUsed.get(row.id);
    return {
      id: row.id,
      ownerId: row.owner_id,
      kind: row.is_scim === 0 ? row.kind : 'scim',
      name: row.name,
      scopes: scopesOf(row.scopes),
      rateLimit: row.rate_limit,
      teamId: row.team_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: used === undefined ? row.last_used_at : later(row.last_used_at, used),
      rule: ruleOf(row),
    };
  }
}

/**
 * @returns the later of two times of use. Reported times are not always in order, because two processes can use the
 * same token.
 */
function later(a: number | null, b: number): number {
  return a === null || a < b ? b : a;
}

function statements(connection: Connection) {
  return { ...lookUps(connection), ...changes(connection), ...removals(connection) };
}

interface PageParams {
  now: number;
  search: string | null;
  searchKey: string | null;
  kind: ApiToken['kind'] | null;
  /** Creation time and id of the key or token after which the page begins. */
  placeAt: number;
  placeId: string;
  limit: number;
}

function lookUps(connection: Connection) {
  return {
    byHash: connection.prepare<{ hash: string }, ApiTokenRow>('select * from api_tokens where hash = @hash'),
    byId: connection.prepare<{ id: string }, ApiTokenRow>('select * from api_tokens where id = @id'),
    listOf: connection.prepare<{ ownerId: string }, ApiTokenRow>(
      'select * from api_tokens where owner_id = @ownerId order by created_at desc, id desc',
    ),
    listAll: connection.prepare<NoParams, ApiTokenRow>(
      'select * from api_tokens order by created_at desc, id desc',
    ),
    page: connection.prepare<PageParams, ApiTokenRow>(`
      select api_tokens.*
      from api_tokens cross join accounts on accounts.id = api_tokens.owner_id
      where (api_tokens.expires_at is null or api_tokens.expires_at > @now)
        and (
          @search is null or instr(lower(api_tokens.name), lower(@search)) > 0
          or instr(accounts.email_key, @searchKey) > 0
        )
        and (@kind is null or iif(api_tokens.is_scim = 1, 'scim', api_tokens.kind) = @kind)
        and (api_tokens.created_at, api_tokens.id) < (@placeAt, @placeId)
      order by api_tokens.created_at desc, api_tokens.id desc limit @limit`),
    team: connection.prepare<{ teamId: string }, { id: string }>('select id from teams where id = @teamId'),
    countLive: connection.prepare<{ ownerId: string; now: number }, { count: number }>(`
      select count(*) as count from api_tokens
      where owner_id = @ownerId and kind = 'profile' and (expires_at is null or expires_at > @now)`),
    expired: connection.prepare<{ ownerId: string; now: number; keep: number }, { id: string }>(`
      select id from api_tokens where owner_id = @ownerId and kind = 'profile' and expires_at <= @now
      order by expires_at desc limit ${MOST_REMOVED} offset @keep`),
    // Two queries instead of one with `or`, so that each reads only one range of the index `api_tokens_notice`.
    withNoticeDue: connection.prepare<{ now: number; windowEnd: number; most: number }, ApiTokenRow>(`
      select * from api_tokens where next_notice_at <= @now
      union all
      select * from api_tokens where next_notice_at is null and expires_at <= @windowEnd
      limit @most`),
    countOfTeam: connection.prepare<{ teamId: string }, { count: number }>(
      'select count(*) as count from api_tokens where team_id = @teamId',
    ),
  };
}

interface InsertParams extends Omit<ApiToken, 'scopes' | 'rule'>, RuleColumns {
  hash: string;
  scopes: string;
  noticeAt: number | null;
  isScim: number;
}

function changes(connection: Connection) {
  return {
    insert: connection.prepare<InsertParams, never>(`
      insert into api_tokens (
        id, owner_id, hash, kind, name, scopes, rate_limit, team_id, created_at, expires_at, last_used_at,
        next_notice_at, rule_id, rule_subject, rule_run, is_scim
      ) values (
        @id, @ownerId, @hash, @kind, @name, @scopes, @rateLimit, @teamId, @createdAt, @expiresAt, @lastUsedAt,
        @noticeAt, @ruleId, @ruleSubject, @ruleRun, @isScim
      )`),
    setNextNotice: connection.prepare<{ id: string; at: number }, never>(
      'update api_tokens set next_notice_at = @at where id = @id',
    ),
    setRateLimit: connection.prepare<{ id: string; rateLimit: number }, never>(
      'update api_tokens set rate_limit = @rateLimit where id = @id',
    ),
    touch: connection.prepare<{ id: string; at: number }, never>(`
      update api_tokens set last_used_at = @at
      where id = @id and (last_used_at is null or last_used_at < @at)`),
  };
}

function removals(connection: Connection) {
  return {
    remove: connection.prepare<{ id: string }, never>('delete from api_tokens where id = @id'),
    endSignIns: connection.prepare<{ id: string }, { id: string }>(
      'delete from sign_ins where api_token_id = @id returning id',
    ),
  };
}
