/** Paths of a server's data folder and database. */
export interface DataPlace {
  readonly dataDir: string;
  /** Path of the database, which is in the data folder unless `SVC_DATABASE_URL` names another place. */
  readonly databaseFile: string;
}
