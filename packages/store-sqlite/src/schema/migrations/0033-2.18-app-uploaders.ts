import type { Kysely } from 'kysely';

/**
 * Adds the account that uploaded each app. It is null for apps of earlier versions. The column is not a foreign
 * key, because an app stays when its uploader is deleted.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('apps').addColumn('uploaded_by', 'text').execute();
}
