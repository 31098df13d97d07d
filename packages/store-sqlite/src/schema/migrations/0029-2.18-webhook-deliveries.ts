import type { Kysely } from 'kysely';

/** Adds to webhooks their format, their filters and whether they are paused, and to deliveries their results. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('webhooks')
    .addColumn('format', 'text', (column) => column.notNull().defaultTo('svc'))
    .execute();
  await schema.alterTable('webhooks').addColumn('team_id', 'text').execute();
  await schema.alterTable('webhooks').addColumn('tag', 'text').execute();
  await schema
    .alterTable('webhooks')
    .addColumn('is_paused', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('webhook_deliveries').addColumn('tried_at', 'integer').execute();
  await schema.alterTable('webhook_deliveries').addColumn('status', 'integer').execute();
  await schema.alterTable('webhook_deliveries').addColumn('error', 'text').execute();
  await schema
    .alterTable('webhook_deliveries')
    .addColumn('is_finished', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
