import { type Kysely, sql } from 'kysely';

/**
 * Creates the tables of the shares of the lab: what teams and accounts may use, what accounts used on each day, what
 * phones were used in each month, and how much waiting one more phone of a kind would have saved.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('share_limits')
    .addColumn('account_id', 'text', (column) =>
      column.unique().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('team_id', 'text', (column) => column.unique().references('teams.id').onDelete('cascade'))
    .addColumn('sessions', 'integer')
    .addColumn('leases', 'integer')
    .addColumn('minutes', 'integer')
    .addCheckConstraint('share_limits_subject', sql`(account_id is null) <> (team_id is null)`)
    .modifyEnd(sql`strict`)
    .execute();
  await schema
    .createTable('account_days')
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('session_ms', 'integer', (column) => column.notNull())
    .addColumn('lease_ms', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_days_pk', ['day', 'account_id'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema.createIndex('account_days_account').on('account_days').column('account_id').execute();
  await schema
    .createTable('phone_months')
    .addColumn('month', 'integer', (column) => column.notNull())
    .addColumn('udid', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('present_ms', 'integer', (column) => column.notNull())
    .addColumn('busy_ms', 'integer', (column) => column.notNull())
    .addColumn('leased_ms', 'integer', (column) => column.notNull())
    .addColumn('waited_ms', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('phone_months_pk', ['month', 'udid', 'team_id'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema
    .createTable('kind_months')
    .addColumn('month', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('saved_ms', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('kind_months_pk', ['month', 'kind'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
}
