import { type Kysely, sql } from 'kysely';

/** Creates the tables of what probes read from phones and of how their sessions went (contract 17.2). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('phone_health')
    .addColumn('udid', 'text', (column) => column.notNull())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addColumn('battery', 'real')
    .addColumn('temperature', 'real')
    .addColumn('storage_free', 'integer')
    .addPrimaryKeyConstraint('phone_health_pk', ['udid', 'at'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema
    .createTable('phone_days')
    .addColumn('udid', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('ended', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('refused', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('phone_days_pk', ['udid', 'day'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema.createIndex('phone_days_age').on('phone_days').column('day').execute();
  await schema.createIndex('phone_health_age').on('phone_health').column('at').execute();
}
