import { type Kysely, sql } from 'kysely';

/**
 * Adds to the audit trail: the peer address of the socket in each row, the table of sealed marks, which record the ends
 * of the chain, and an index of successful sign-ins.
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
