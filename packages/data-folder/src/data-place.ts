/** Where the data of a server is. */
export interface DataPlace {
  readonly dataDir: string;
  /** In the data folder, unless `SVC_DATABASE_URL` names another place. */
  readonly databaseFile: string;
}
