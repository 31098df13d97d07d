import type { ApiToken } from '@svc/auth-core';
import type { Params, Prepare } from '../connection/statements.ts';

type Inserted = Omit<ApiToken, 'scopes'> & { hash: string; scopes: string };

export function apiTokenStatements(prepare: Prepare) {
  return { ...lookUps(prepare), ...changes(prepare), ...removals(prepare) };
}

function lookUps(prepare: Prepare) {
  return {
    byHash: prepare((query, at: Params<{ hash: string }>) =>
      query.selectFrom('api_tokens').selectAll().where('hash', '=', at.hash),
    ),
    byId: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('api_tokens').selectAll().where('id', '=', at.id),
    ),
    listOf: prepare((query, at: Params<{ ownerId: string }>) =>
      query
        .selectFrom('api_tokens')
        .selectAll()
        .where('owner_id', '=', at.ownerId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    ),
    listAll: prepare((query) =>
      query.selectFrom('api_tokens').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'),
    ),
    team: prepare((query, at: Params<{ teamId: string }>) =>
      query.selectFrom('teams').select('id').where('id', '=', at.teamId),
    ),
    countOfTeam: prepare((query, at: Params<{ teamId: string }>) =>
      query
        .selectFrom('api_tokens')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('team_id', '=', at.teamId),
    ),
  };
}

function changes(prepare: Prepare) {
  return {
    insert: prepare((query, at: Params<Inserted>) =>
      query.insertInto('api_tokens').values({
        id: at.id,
        owner_id: at.ownerId,
        hash: at.hash,
        kind: at.kind,
        name: at.name,
        scopes: at.scopes,
        rate_limit: at.rateLimit,
        team_id: at.teamId,
        created_at: at.createdAt,
        expires_at: at.expiresAt,
        last_used_at: at.lastUsedAt,
      }),
    ),
    setRateLimit: prepare((query, at: Params<{ id: string; rateLimit: number }>) =>
      query.updateTable('api_tokens').set({ rate_limit: at.rateLimit }).where('id', '=', at.id),
    ),
    touch: prepare((query, at: Params<{ id: string; at: number }>) =>
      query
        .updateTable('api_tokens')
        .set({ last_used_at: at.at })
        .where('id', '=', at.id)
        .where((of) => of.or([of('last_used_at', 'is', null), of('last_used_at', '<', at.at)])),
    ),
  };
}

function removals(prepare: Prepare) {
  return {
    remove: prepare((query, at: Params<{ id: string }>) =>
      query.deleteFrom('api_tokens').where('id', '=', at.id),
    ),
    endSignIns: prepare((query, at: Params<{ id: string }>) =>
      query.deleteFrom('sign_ins').where('api_token_id', '=', at.id).returning('id'),
    ),
  };
}
