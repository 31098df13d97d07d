import { RELEASE_2_18 } from './release-2.18.ts';
import { UNTIL_2_17 } from './until-2.17.ts';

/** SQL of migrations by their names. They are applied in the order of their names. */
export type Migrations = Readonly<Record<string, string>>;

/** All migrations. Their names and SQL must not change after a release, because the history stores the names. */
export const MIGRATIONS: Migrations = { ...UNTIL_2_17, ...RELEASE_2_18 };
