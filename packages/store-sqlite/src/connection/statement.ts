import type Database from 'better-sqlite3';

/** The part of a connection that a statement uses. */
interface StatementConnection {
  readonly database: Database.Database;
  beforeWrite(): void;
  failure(error: unknown): unknown;
}

/** Parameters of a statement that has none. */
export type NoParams = Record<never, never>;

/**
 * A statement that is prepared once, at the start, so that an invalid one stops the start. `Params` are its named
 * parameters (`@name`), `Row` is what it selects. Every failure is one of the ports' errors.
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

  /** @returns the first row */
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
