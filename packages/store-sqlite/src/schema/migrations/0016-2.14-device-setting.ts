import type { Kysely } from 'kysely';

/** `DeviceSetting` (specification 9.2 from 2.13 to 2.14): the rows of `phone_settings`, as they are. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('phone_settings').renameTo('DeviceSetting').execute();
}
