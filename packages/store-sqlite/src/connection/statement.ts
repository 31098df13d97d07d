import type Database from 'better-sqlite3';

/** The members of `Connection` that a statement uses. */
interface StatementConnection {
  readonly database: Database.Database;
  beforeWrite(): void;
  failure(error: unknown): unknown;
}

/** Type of the parameters of a statement without parameters. */
export type NoParams = Record<never, never>;

/**
 * SQL statement that is prepared once, when the server starts. With an SQL error, the server does not start. `Params`
 * is the type of the named parameters (`@name`), and `Row` the type of the selected rows. Every database failure is
 * thrown as `Conflict` or `Unavailable`.
 */
export class Statement<Params, Row> {
  readonly #connection: StatementConnection;
  readonly #statement: Database.Statement<[Params], Row>;
  readonly #writes: boolean;

  constructor(connection: StatementConnection, sql: string) {
    this.#connection = connection;
    this.#statement = connection.database.prepare<[Params], Row>(sql);
    this.#writes = !this.#statement.readonly;
  }

  /** @returns the first row, or undefined if there is none */
  get(params: Params): Row | undefined {
    try {
      if (this.#writes) this.#connection.beforeWrite();
      return this.#statement.get(params);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  all(params: Params): Row[] {
    try {
      if (this.#writes) this.#connection.beforeWrite();
      return this.#statement.all(params);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  /** @returns the number of rows changed */
  run(params: Params): number {
    try {
      this.#connection.beforeWrite();
      return this.#statement.run(params).changes;
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }
}
