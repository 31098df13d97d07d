/**
 * Current names of tables by their names in older releases. A push renames them to keep their rows, as a migration
 * would.
 */
export const RENAMED_TABLES: Readonly<Record<string, string>> = { phone_settings: 'DeviceSetting' };
