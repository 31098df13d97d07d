import type { SignIn } from '@svc/auth-core';
import type { Params, Prepare } from '../connection/statements.ts';

type Inserted = Omit<SignIn, 'scopes'> & { hash: string; scopes: string | null };

export function signInStatements(prepare: Prepare) {
  return { ...lookUps(prepare), ...changes(prepare), ...removals(prepare) };
}

function lookUps(prepare: Prepare) {
  return {
    byHash: prepare((query, at: Params<{ hash: string }>) =>
      query.selectFrom('sign_ins').selectAll().where('hash', '=', at.hash),
    ),
    byId: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('sign_ins').selectAll().where('id', '=', at.id),
    ),
    listOf: prepare((query, at: Params<{ accountId: string }>) =>
      query
        .selectFrom('sign_ins')
        .selectAll()
        .where('account_id', '=', at.accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    ),
  };
}

function changes(prepare: Prepare) {
  return {
    insert: prepare((query, at: Params<Inserted>) =>
      query.insertInto('sign_ins').values({
        id: at.id,
        account_id: at.accountId,
        hash: at.hash,
        created_at: at.createdAt,
        last_seen_at: at.lastSeenAt,
        expires_at: at.expiresAt,
        user_agent: at.userAgent,
        scopes: at.scopes,
        until: at.until,
        api_token_id: at.apiTokenId,
        team_id: at.teamId,
      }),
    ),
    extend: prepare((query, at: Params<{ id: string; lastSeenAt: number; expiresAt: number }>) =>
      query
        .updateTable('sign_ins')
        .set({ last_seen_at: at.lastSeenAt, expires_at: at.expiresAt })
        .where('id', '=', at.id),
    ),
  };
}

function removals(prepare: Prepare) {
  return {
    end: prepare((query, at: Params<{ id: string }>) => query.deleteFrom('sign_ins').where('id', '=', at.id)),
    endAllOf: prepare((query, at: Params<{ accountId: string; exceptId: string }>) =>
      query
        .deleteFrom('sign_ins')
        .where('account_id', '=', at.accountId)
        .where('id', '<>', at.exceptId)
        .returning('id'),
    ),
    removeExpired: prepare((query, at: Params<{ now: number }>) =>
      query.deleteFrom('sign_ins').where('expires_at', '<=', at.now).returning('id'),
    ),
  };
}
