import { type Kysely, sql } from 'kysely';

/**
 * Adds a column for the socket's remote address (`peer`) to the audit trail, and an index of successful sign-ins. Also
 * adds a table for sealed marks: authenticated copies of the number and hash of certain rows, such as the last row.
 * With them, the server notices if rows were removed at an end of the chain.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('audit').addColumn('peer', 'text').execute();
  await schema
    .createTable('audit_marks')
    .addColumn('name', 'text', (column) =>
      column.primaryKey().notNull().check(sql`name in ('head', 'anchor', 'legacy')`),
    )
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('seal', 'text', (column) => column.notNull())
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema
    .createIndex('audit_sign_ins')
    .on('audit')
    .column('number')
    .where(sql.ref('event'), '=', sql.lit('authn_login_success'))
    .execute();
}
