/**
 * Current names of tables by their names in older releases. Code that changes tables without migrations
 * (`schema-push.ts`) renames such a table instead of creating an empty one, so that its rows are kept.
 */
export const RENAMED_TABLES: Readonly<Record<string, string>> = { phone_settings: 'DeviceSetting' };
