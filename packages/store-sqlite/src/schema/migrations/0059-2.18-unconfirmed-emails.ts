import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of the accounts that signed up through the OpenID provider with an e-mail address of which the
 * provider did not say that it belongs to the person. They get no reset links by mail.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('unconfirmed_emails')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade').notNull(),
    )
    .modifyEnd(sql`strict`)
    .execute();
}
