import { firstNoticeAt, nextNoticeAt } from '@svc/accounts';
import { type ApiToken, type ApiTokenStore, Conflict } from '@svc/auth-core';
import { emailKey } from '@svc/contract';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { RULE_COLUMNS, type RuleFields, ruleFields, ruleOf, scopeNames } from './rule-columns.ts';
import { flag, nullable, Rows, required, type Table } from './table.ts';

/**
 * Maximum number of expired tokens that one call removes. The call is part of creating a token, which must not take
 * long.
 */
const MOST_REMOVED = 100;

/** Value of `nextNoticeAt` for tokens that get no further expiry notice. Larger than every time, so never due. */
const NO_NOTICE = Number.MAX_SAFE_INTEGER;
/** Time (ms) between the first expiry notice about a token and the token's expiry. */
const NOTICE_WINDOW_MS = -(firstNoticeAt(0) ?? 0);

interface StoredToken extends Omit<ApiToken, 'kind' | 'rule'>, RuleFields {
  readonly hash: string;
  /** A token of kind `scim` is stored as `api-key`, with `isScim`. */
  readonly kind: Exclude<ApiToken['kind'], 'scim'>;
  readonly isScim: boolean;
  /**
   * Time of the next message that warns of the token's expiry, or `NO_NOTICE`. Null if the token never expires, or was
   * stored by a version without such messages.
   */
  readonly nextNoticeAt: number | null;
}

/**
 * `teamId` has no foreign key: if deleting the team set the column to null, the token would no longer be limited to
 * that team.
 */
export const API_TOKENS: Table<StoredToken> = {
  name: 'api_tokens',
  columns: {
    id: required,
    ownerId: required,
    hash: required,
    kind: required,
    name: required,
    scopes: scopeNames,
    rateLimit: required,
    teamId: nullable,
    createdAt: required,
    expiresAt: nullable,
    lastUsedAt: nullable,
    nextNoticeAt: nullable,
    ...RULE_COLUMNS,
    isScim: flag,
  },
};

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

function statements(connection: Connection) {
  const tokens = new Rows(connection, API_TOKENS);
  const count = <P>(where: string) =>
    connection.prepare<P, { count: number }>(`select count(*) as count from api_tokens where ${where}`);
  return {
    byHash: tokens.first<{ hash: string }>('where hash = @hash'),
    byId: tokens.first(),
    listOf: tokens.all<{ ownerId: string }>('where owner_id = @ownerId order by created_at desc, id desc'),
    listAll: tokens.all('order by created_at desc, id desc'),
    page: tokens.all<PageParams>(`
      cross join accounts on accounts.id = api_tokens.owner_id
      where (api_tokens.expires_at is null or api_tokens.expires_at > @now)
        and (
          @search is null or instr(lower(api_tokens.name), lower(@search)) > 0
          or instr(accounts.email_key, @searchKey) > 0
        )
        and (@kind is null or iif(api_tokens.is_scim = 1, 'scim', api_tokens.kind) = @kind)
        and (api_tokens.created_at, api_tokens.id) < (@placeAt, @placeId)
      order by api_tokens.created_at desc, api_tokens.id desc limit @limit`),
    team: connection.prepare<{ teamId: string }, object>('select id from teams where id = @teamId'),
    countLive: count<{ ownerId: string; now: number }>(
      `owner_id = @ownerId and kind = 'profile' and (expires_at is null or expires_at > @now)`,
    ),
    countOfTeam: count<{ teamId: string }>('team_id = @teamId'),
    expired: connection.prepare<{ ownerId: string; now: number; keep: number }, { id: string }>(`
      select id from api_tokens where owner_id = @ownerId and kind = 'profile' and expires_at <= @now
      order by expires_at desc limit ${MOST_REMOVED} offset @keep`),
    // Two queries instead of one with `or`, so that each reads only one range of the index `api_tokens_notice`.
    withNoticeDue: tokens.query<{ now: number; windowEnd: number; most: number }>(`
      ${tokens.select} where next_notice_at <= @now
      union all
      ${tokens.select} where next_notice_at is null and expires_at <= @windowEnd
      limit @most`),
    insert: tokens.insert(),
    setNextNotice: tokens.update('nextNoticeAt'),
    setRateLimit: tokens.update('rateLimit'),
    touch: connection.prepare<{ id: string; at: number }, never>(`
      update api_tokens set last_used_at = @at
      where id = @id and (last_used_at is null or last_used_at < @at)`),
    remove: tokens.remove(),
    endSignIns: connection.prepare<{ id: string }, { id: string }>(
      'delete from sign_ins where api_token_id = @id returning id',
    ),
  };
}

export function apiTokenRows(connection: Connection, caches: Caches): ApiTokenStore {
  const sql = statements(connection);
  const { apiTokens, lastUsed, writeBehind } = caches;
  // A literal, because copying the row takes a quarter of the time of a look-up.
  const tokenOf = (row: StoredToken): ApiToken => {
    const used = lastUsed.get(row.id);
    return {
      id: row.id,
      ownerId: row.ownerId,
      kind: row.isScim ? 'scim' : row.kind,
      name: row.name,
      scopes: row.scopes,
      rateLimit: row.rateLimit,
      teamId: row.teamId,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
      lastUsedAt: used === undefined ? row.lastUsedAt : later(row.lastUsedAt, used),
      rule: ruleOf(row),
    };
  };
  const remember = (row: StoredToken | undefined): ApiToken | undefined => {
    if (row === undefined) return undefined;
    const token = tokenOf(row);
    apiTokens.add(row.hash, token);
    return token;
  };
  const byId = (id: string): ApiToken | undefined => {
    connection.checkForOtherWriters();
    return apiTokens.byId(id) ?? remember(sql.byId({ id }));
  };
  // The audit trail still shows that a removed token existed.
  const revoke = (id: string): boolean => {
    for (const signIn of sql.endSignIns.all({ id })) caches.dropSignIn(signIn.id);
    caches.dropApiToken(id);
    return sql.remove({ id }) > 0;
  };
  writeBehind.add({
    pending: lastUsed,
    write: (most) => {
      const uses = lastUsed.take(most);
      for (const [id, at] of uses) sql.touch.run({ id, at });
      return uses.length;
    },
  });
  return {
    byHash: (hash) => {
      connection.checkForOtherWriters();
      return apiTokens.byKey(hash) ?? remember(sql.byHash({ hash }));
    },
    byId,
    listOf: (ownerId) => sql.listOf({ ownerId }).map(tokenOf),
    listAll: () => sql.listAll({}).map(tokenOf),
    page: ({ now, search = null, kind = null, before, limit }) => {
      const place = { placeAt: before?.createdAt ?? Number.MAX_SAFE_INTEGER, placeId: before?.id ?? '' };
      const searchKey = search && emailKey(search);
      return sql.page({ now, search, searchKey, kind, ...place, limit }).map(tokenOf);
    },
    insert: ({ kind, rule, ...token }, hash) => {
      const { teamId, expiresAt, createdAt } = token;
      if (teamId !== null && sql.team.get({ teamId }) === undefined) {
        throw new Conflict('the team no longer exists');
      }
      sql.insert({
        ...token,
        ...ruleFields(rule),
        hash,
        kind: kind === 'scim' ? 'api-key' : kind,
        isScim: kind === 'scim',
        nextNoticeAt: expiresAt === null ? null : (nextNoticeAt(expiresAt, createdAt) ?? NO_NOTICE),
      });
    },
    withNoticeDue: (now, most) =>
      sql.withNoticeDue({ now, windowEnd: now + NOTICE_WINDOW_MS, most }).map(tokenOf),
    setNextNotice: (id, at) => void sql.setNextNotice({ id, nextNoticeAt: at ?? NO_NOTICE }),
    revoke,
    removeExpiredProfileTokens: (ownerId, now, keep) => {
      for (const { id } of sql.expired.all({ ownerId, now, keep })) revoke(id);
    },
    setRateLimit: (id, rateLimit) => {
      const isChanged = sql.setRateLimit({ id, rateLimit }) > 0;
      apiTokens.drop(id);
      return isChanged;
    },
    countLiveProfileTokens: (ownerId, now) => sql.countLive.get({ ownerId, now })?.count ?? 0,
    countOfTeam: (teamId) => sql.countOfTeam.get({ teamId })?.count ?? 0,
    touch: (id, at) => {
      const token = apiTokens.byId(id) ?? byId(id);
      if (token === undefined) return;
      apiTokens.replace({ ...token, lastUsedAt: later(token.lastUsedAt, at) });
      lastUsed.set(id, later(lastUsed.get(id) ?? null, at));
      writeBehind.schedule();
    },
  };
}

/**
 * @returns the later of two times of use. Reported times are not always in order, because two processes can use the
 * same token.
 */
function later(a: number | null, b: number): number {
  return a === null || a < b ? b : a;
}
