import { Conflict, KEPT_RUNS, type TrustRule, type TrustRuleStore, type TrustRun } from '@svc/auth-core';
import type { Caches } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { TrustRuleRow } from '../schema/rows/credentials.ts';
import { scopesOf, scopeText } from './scope-text.ts';

/**
 * Stores trust rules, which let CI jobs sign in. All rules are cached, because each check of a token from a rule reads
 * the rule.
 */
export class TrustRuleRows implements TrustRuleStore {
  readonly #connection: Connection;
  readonly #caches: Caches;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, caches: Caches) {
    this.#connection = connection;
    this.#caches = caches;
    this.#statements = statements(connection);
  }

  byId(id: string): TrustRule | undefined {
    return this.#all().get(id);
  }

  list(): TrustRule[] {
    return [...this.#all().values()];
  }

  /**
   * Adds a rule, and throws if its team does not exist. The column `team_id` has no foreign key: if deleting the team
   * set the column to null, the tokens of the rule would no longer be limited to that team.
   */
  insert(rule: TrustRule): void {
    const { teamId } = rule;
    if (teamId !== null && this.#statements.team.get({ teamId }) === undefined)
      throw new Conflict('the team no longer exists');
    this.#statements.insert.run({
      ...rule,
      jwks: rule.jwks === null ? null : JSON.stringify(rule.jwks),
      claims: JSON.stringify(rule.claims),
      scopes: scopeText(rule.scopes),
      paused: Number(rule.paused),
      runs: JSON.stringify(rule.runs),
    });
    // Raise `Stores.version`. Other servers of a grid load the trust rules from this server only when this version
    // changes, and need the new rule to check its tokens.
    this.#caches.dropTrustRules();
  }

  update(id: string, change: Partial<Pick<TrustRule, 'name' | 'paused'>>): void {
    const rule = this.byId(id);
    if (rule === undefined) return;
    const { name, paused } = { ...rule, ...change };
    this.#statements.update.run({ id, name, paused: Number(paused) });
    this.#caches.dropTrustRules();
  }

  noteRun(id: string, run: TrustRun): void {
    const rule = this.byId(id);
    if (rule === undefined) return;
    const runs = [run, ...rule.runs].slice(0, KEPT_RUNS);
    this.#statements.noteRun.run({ id, runs: JSON.stringify(runs), lastUsedAt: run.at });
    this.#caches.reloadTrustRules();
  }

  /**
   * Removes a rule and the rules that were created with its tokens. Foreign keys also delete the rule's tokens and
   * sign-ins, so these are removed from the caches.
   */
  remove(id: string): boolean {
    for (const child of this.list()) if (child.parentId === id) this.remove(child.id);
    for (const token of this.#statements.apiTokensOf.all({ id })) {
      for (const signIn of this.#statements.signInsOfToken.all({ id: token.id }))
        this.#caches.dropSignIn(signIn.id);
      this.#caches.dropApiToken(token.id);
    }
    for (const signIn of this.#statements.signInsOf.all({ id })) this.#caches.dropSignIn(signIn.id);
    const removed = this.#statements.remove.run({ id }) > 0;
    this.#caches.dropTrustRules();
    return removed;
  }

  #all(): ReadonlyMap<string, TrustRule> {
    this.#connection.checkForOtherWriters();
    return this.#caches.trustRules(
      () => new Map(this.#statements.all.all({}).map((row) => [row.id, ruleOfRow(row)])),
    );
  }
}

function ruleOfRow(row: TrustRuleRow): TrustRule {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    jwks: row.jwks === null ? null : JSON.parse(row.jwks),
    claims: JSON.parse(row.claims),
    scopes: scopesOf(row.scopes),
    teamId: row.team_id,
    maxMinutes: row.max_minutes,
    paused: row.paused !== 0,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    parentId: row.parent_id,
    runs: JSON.parse(row.runs),
  };
}

interface Inserted extends Omit<TrustRule, 'jwks' | 'claims' | 'scopes' | 'paused' | 'runs'> {
  jwks: string | null;
  claims: string;
  scopes: string;
  paused: number;
  runs: string;
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, TrustRuleRow>(
      'select * from trust_rules order by created_at desc, id desc',
    ),
    team: connection.prepare<{ teamId: string }, { id: string }>('select id from teams where id = @teamId'),
    insert: connection.prepare<Inserted, never>(`
      insert into trust_rules (
        id, owner_id, parent_id, name, issuer, audience, jwks, claims, scopes, team_id, max_minutes, paused,
        created_at, last_used_at, expires_at, runs
      ) values (
        @id, @ownerId, @parentId, @name, @issuer, @audience, @jwks, @claims, @scopes, @teamId, @maxMinutes, @paused,
        @createdAt, @lastUsedAt, @expiresAt, @runs
      )`),
    update: connection.prepare<{ id: string; name: string; paused: number }, never>(
      'update trust_rules set name = @name, paused = @paused where id = @id',
    ),
    noteRun: connection.prepare<{ id: string; runs: string; lastUsedAt: number }, never>(
      'update trust_rules set runs = @runs, last_used_at = @lastUsedAt where id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from trust_rules where id = @id'),
    apiTokensOf: connection.prepare<{ id: string }, { id: string }>(
      'select id from api_tokens where rule_id = @id',
    ),
    signInsOf: connection.prepare<{ id: string }, { id: string }>(
      'select id from sign_ins where rule_id = @id',
    ),
    signInsOfToken: connection.prepare<{ id: string }, { id: string }>(
      'select id from sign_ins where api_token_id = @id',
    ),
  };
}
