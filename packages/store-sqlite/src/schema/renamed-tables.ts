/**
 * Current names of tables by their names in older releases. A push (`schema-push.ts`) renames such tables, as a
 * migration would, so that their rows are kept.
 */
export const RENAMED_TABLES: Readonly<Record<string, string>> = { phone_settings: 'DeviceSetting' };
