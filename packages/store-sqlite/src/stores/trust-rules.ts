import { KEPT_RUNS, type TrustRule, type TrustRuleStore } from '@svc/accounts';
import { Conflict } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { scopeNames } from './rule-columns.ts';
import { flag, json, nullable, orNull, Rows, required, type Table } from './table.ts';

/**
 * `teamId` has no foreign key: if deleting the team set the column to null, the tokens of the rule would no longer be
 * limited to that team.
 */
export const TRUST_RULES: Table<TrustRule> = {
  name: 'trust_rules',
  columns: {
    id: required,
    ownerId: required,
    parentId: nullable,
    name: required,
    issuer: required,
    audience: nullable,
    jwks: orNull(json),
    claims: json,
    scopes: scopeNames,
    teamId: nullable,
    maxMinutes: required,
    paused: flag,
    createdAt: required,
    lastUsedAt: nullable,
    expiresAt: nullable,
    runs: json,
  },
};

/** All rules are cached, because each check of a token from a rule reads the rule. */
export function trustRuleRows(connection: Connection, caches: Caches): TrustRuleStore {
  const rows = new Rows(connection, TRUST_RULES);
  const all = rows.all('order by created_at desc, id desc');
  const insert = rows.insert();
  const update = rows.update('name', 'paused');
  const noteRun = rows.update('runs', 'lastUsedAt');
  const removeRow = rows.remove();
  const select = (sql: string) => connection.prepare<{ id: string }, { id: string }>(sql);
  const team = select('select id from teams where id = @id');
  const tokensOf = select('select id from api_tokens where rule_id = @id');
  const signInsOf = select('select id from sign_ins where rule_id = @id');
  const signInsOfToken = select('select id from sign_ins where api_token_id = @id');

  const rules = (): ReadonlyMap<string, TrustRule> => {
    connection.checkForOtherWriters();
    return caches.trustRules(() => new Map(all({}).map((rule) => [rule.id, rule])));
  };
  const byId = (id: string) => rules().get(id);
  // Foreign keys also delete the rule's tokens and sign-ins, so these are removed from the caches.
  const remove = (id: string): boolean => {
    for (const child of rules().values()) if (child.parentId === id) remove(child.id);
    for (const token of tokensOf.all({ id })) {
      for (const signIn of signInsOfToken.all(token)) caches.dropSignIn(signIn.id);
      caches.dropApiToken(token.id);
    }
    for (const signIn of signInsOf.all({ id })) caches.dropSignIn(signIn.id);
    const isRemoved = removeRow({ id }) > 0;
    caches.dropTrustRules();
    return isRemoved;
  };
  return {
    byId,
    list: () => [...rules().values()],
    insert: (rule) => {
      if (rule.teamId !== null && team.get({ id: rule.teamId }) === undefined)
        throw new Conflict('the team no longer exists');
      insert(rule);
      // Raise `Stores.version`. Other servers of a grid load the trust rules from this server only when this version
      // changes, and need the new rule to check its tokens.
      caches.dropTrustRules();
    },
    update: (id, change) => {
      const rule = byId(id);
      if (rule === undefined) return;
      update({ ...rule, ...change });
      caches.dropTrustRules();
    },
    noteRun: (id, run) => {
      const rule = byId(id);
      if (rule === undefined) return;
      noteRun({ id, runs: [run, ...rule.runs].slice(0, KEPT_RUNS), lastUsedAt: run.at });
      caches.reloadTrustRules();
    },
    remove,
  };
}
