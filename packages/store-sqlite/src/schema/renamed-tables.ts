/** Tables by their name in older releases: a push keeps the rows, where a migration would have renamed the table. */
export const RENAMED_TABLES: Readonly<Record<string, string>> = { phone_settings: 'DeviceSetting' };
