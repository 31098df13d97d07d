import type { Kysely } from 'kysely';

/** Renames `phone_settings` to `DeviceSetting` and keeps its rows (specification 9.2, release 2.14). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('phone_settings').renameTo('DeviceSetting').execute();
}
