import { type Kysely, sql } from 'kysely';

/**
 * Adds the table of trust rules, which let CI jobs sign in with the tokens of their issuer. Adds columns for the rule
 * through which a key or sign-in was created, and for the CI run that created a driver session (contract 10.3).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('trust_rules')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner_id', 'text', (column) => column.references('accounts.id').onDelete('cascade').notNull())
    .addColumn('parent_id', 'text', (column) => column.references('trust_rules.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('audience', 'text')
    .addColumn('jwks', 'text')
    .addColumn('claims', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text')
    .addColumn('max_minutes', 'integer', (column) => column.notNull())
    .addColumn('paused', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('last_used_at', 'integer')
    .addColumn('expires_at', 'integer')
    .addColumn('runs', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('trust_rules_owner').on('trust_rules').column('owner_id').execute();
  for (const table of ['api_tokens', 'sign_ins']) {
    await schema
      .alterTable(table)
      .addColumn('rule_id', 'text', (column) => column.references('trust_rules.id').onDelete('cascade'))
      .execute();
    await schema.alterTable(table).addColumn('rule_subject', 'text').execute();
    await schema.alterTable(table).addColumn('rule_run', 'text').execute();
    await schema.createIndex(`${table}_rule`).on(table).column('rule_id').execute();
  }
  await schema.alterTable('driver_sessions').addColumn('started_by', 'text').execute();
}
