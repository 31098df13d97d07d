import { type Kysely, sql } from 'kysely';

type Schema = Kysely<unknown>['schema'];

const STRICT = sql`strict`;
const STRICT_BY_KEY = sql`without rowid, strict`;

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await accounts(schema);
  await teams(schema);
  await apiTokens(schema);
  await signIns(schema);
  await resetLinks(schema);
  await audit(schema);
  await marks(schema);
}

async function accounts(schema: Schema): Promise<void> {
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) =>
      column.notNull().check(sql`role in ('Member', 'Admin', 'Super admin')`),
    )
    .addColumn('status', 'text', (column) => column.notNull().check(sql`status in ('Active', 'Inactive')`))
    .addColumn('access_key', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('temporary_password_until', 'integer')
    .addColumn('default_password', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('last_sign_in_at', 'integer')
    .addColumn('sign_in_epoch', 'integer', (column) => column.notNull().defaultTo(0))
    .modifyEnd(STRICT)
    .execute();
}

async function teams(schema: Schema): Promise<void> {
  await schema
    .createTable('teams')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .modifyEnd(STRICT)
    .execute();
  await schema
    .createTable('team_members')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('team_id', 'text', (column) => column.notNull().references('teams.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('team_members_pk', ['account_id', 'team_id'])
    .modifyEnd(STRICT_BY_KEY)
    .execute();
  await schema.createIndex('team_members_team').on('team_members').column('team_id').execute();
}

async function apiTokens(schema: Schema): Promise<void> {
  await schema
    .createTable('api_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull().check(sql`kind in ('profile', 'api-key')`))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('rate_limit', 'integer', (column) => column.notNull())
    .addColumn('team_id', 'text')
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer')
    .addColumn('last_used_at', 'integer')
    .modifyEnd(STRICT)
    .execute();
  await schema.createIndex('api_tokens_owner').on('api_tokens').column('owner_id').execute();
}

async function signIns(schema: Schema): Promise<void> {
  await schema
    .createTable('sign_ins')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('last_seen_at', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .addColumn('user_agent', 'text')
    .addColumn('scopes', 'text')
    .addColumn('until', 'integer')
    .addColumn('api_token_id', 'text', (column) => column.references('api_tokens.id').onDelete('cascade'))
    .modifyEnd(STRICT)
    .execute();
  await schema.createIndex('sign_ins_account').on('sign_ins').column('account_id').execute();
  await schema.createIndex('sign_ins_api_token').on('sign_ins').column('api_token_id').execute();
  await schema.createIndex('sign_ins_expiry').on('sign_ins').column('expires_at').execute();
}

async function resetLinks(schema: Schema): Promise<void> {
  await schema
    .createTable('reset_links')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .modifyEnd(STRICT)
    .execute();
  await schema.createIndex('reset_links_account').on('reset_links').column('account_id').execute();
  await schema.createIndex('reset_links_expiry').on('reset_links').column('expires_at').execute();
}

async function audit(schema: Schema): Promise<void> {
  await schema
    .createTable('audit')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull().check(sql`outcome in ('success', 'failure')`))
    .addColumn('actor', 'text')
    .addColumn('target', 'text')
    .addColumn('address', 'text')
    .addColumn('request_id', 'text')
    .addColumn('reason', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('previous_hash', 'text', (column) => column.notNull())
    .modifyEnd(STRICT)
    .execute();
}

async function marks(schema: Schema): Promise<void> {
  await schema
    .createTable('spent')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .modifyEnd(STRICT_BY_KEY)
    .execute();
  await schema.createIndex('spent_expiry').on('spent').column('expires_at').execute();
  await schema
    .createTable('settings')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .modifyEnd(STRICT_BY_KEY)
    .execute();
}
