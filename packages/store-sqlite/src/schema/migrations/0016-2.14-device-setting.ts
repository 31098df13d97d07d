import type { Kysely } from 'kysely';

/** Renames `phone_settings` to `DeviceSetting` and keeps its rows (specification 9.2 from 2.13 to 2.14). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('phone_settings').renameTo('DeviceSetting').execute();
}
