import { type Kysely, sql } from 'kysely';

/**
 * Adds a table of the OpenID Connect provider's users and a table of the sign-ins through the provider. A row of the
 * second table is kept after its sign-in has ended. Tokens that were minted from the sign-in may still be valid then,
 * and a logout at the provider must end them.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('identities')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) =>
      column.references('accounts.id').onDelete('cascade').notNull(),
    )
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('last_sign_in_at', 'integer')
    .addUniqueConstraint('identities_person', ['issuer', 'subject'])
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('identities_account').on('identities').column('account_id').execute();
  await schema
    .createTable('provider_sign_ins')
    .addColumn('sign_in_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) =>
      column.references('accounts.id').onDelete('cascade').notNull(),
    )
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('sid', 'text')
    .addColumn('ended_at', 'integer')
    .modifyEnd(sql`strict`)
    .execute();
  for (const [name, columns] of [
    ['provider_sign_ins_person', ['issuer', 'subject']],
    ['provider_sign_ins_session', ['issuer', 'sid']],
    ['provider_sign_ins_account', ['account_id']],
    ['provider_sign_ins_end', ['ended_at']],
  ] as const)
    await schema
      .createIndex(name)
      .on('provider_sign_ins')
      .columns([...columns])
      .execute();
}
