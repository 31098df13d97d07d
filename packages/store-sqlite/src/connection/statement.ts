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
 * SQL statement that is prepared once, at its first use, because a start uses few of them (docs/decisions/0025). A test
 * prepares all of them. `Params` is the type of the named parameters (`@name`), and `Row` the type of the selected rows.
 * Every database failure is thrown as `Conflict` or `Unavailable`.
 */
export class Statement<Params, Row> {
  readonly #connection: StatementConnection;
  readonly #sql: string;
  #prepared: Database.Statement<[Params], Row> | undefined;

  constructor(connection: StatementConnection, sql: string) {
    this.#connection = connection;
    this.#sql = sql;
  }

  /** @returns the first row, or undefined if there is none */
  get(params: Params): Row | undefined {
    try {
      return this.#forReading().get(params);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  all(params: Params): Row[] {
    try {
      return this.#forReading().all(params);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  /** @returns the number of rows changed */
  run(params: Params): number {
    try {
      this.#connection.beforeWrite();
      return this.#statement().run(params).changes;
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  /** @returns the statement, after announcing its change if it returns the rows that it writes */
  #forReading(): Database.Statement<[Params], Row> {
    const statement = this.#statement();
    if (!statement.readonly) this.#connection.beforeWrite();
    return statement;
  }

  #statement(): Database.Statement<[Params], Row> {
    this.#prepared ??= this.#connection.database.prepare<[Params], Row>(this.#sql);
    return this.#prepared;
  }
}
