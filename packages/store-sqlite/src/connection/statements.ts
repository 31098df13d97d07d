import type Database from 'better-sqlite3';
import {
  type CompiledQuery,
  DummyDriver,
  type Expression,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { Connection } from './connection.ts';
import { hold } from './held-database.ts';

/** Where the values of a statement go: one named parameter each. */
export type Params<P> = { readonly [K in keyof P]: Expression<P[K]> };

/** A query compiled once. Every failure is one of the ports' errors. */
export interface Statement<P, R> {
  first(values: P): R | undefined;
  all(values: P): R[];
  /** Row by row; the connection can do nothing else meanwhile. */
  each(values: P): IterableIterator<R>;
  /** How many rows it changed. */
  run(values: P): number;
}

export type Prepare = <P, R>(
  build: (query: Kysely<Tables>, holes: Params<P>) => { compile(): CompiledQuery<R> },
) => Statement<P, R>;

/**
 * Kysely writes each query, once at start; better-sqlite3 runs the prepared statement. Building a query per call
 * costs several times what running it does.
 */
export function preparing(connection: Connection): Prepare {
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return <P, R>(build: (query: Kysely<Tables>, holes: Params<P>) => { compile(): CompiledQuery<R> }) => {
    const compiled = build(query, holes<P>()).compile();
    // A value built in would be the same in every call.
    if (compiled.parameters.length > 0) throw new TypeError(`Not a hole: a value in ${compiled.sql}`);
    return new Prepared<P, R>(connection, compiled.sql);
  };
}

function holes<P>(): Params<P> {
  return new Proxy({} as Params<P>, { get: (_, name) => sql`${sql.raw(`@${String(name)}`)}` });
}

class Prepared<P, R> implements Statement<P, R> {
  readonly #connection: Connection;
  readonly #statement: Database.Statement<[P], R>;
  readonly #writes: boolean;

  constructor(connection: Connection, source: string) {
    this.#connection = connection;
    this.#statement = connection.database.prepare<[P], R>(source);
    this.#writes = !this.#statement.readonly;
  }

  first(values: P): R | undefined {
    try {
      if (this.#writes) this.#connection.writes();
      return this.#statement.get(values);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  all(values: P): R[] {
    try {
      if (this.#writes) this.#connection.writes();
      return this.#statement.all(values);
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  *each(values: P): IterableIterator<R> {
    try {
      yield* hold(this.#statement.iterate(values));
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }

  run(values: P): number {
    try {
      this.#connection.writes();
      return this.#statement.run(values).changes;
    } catch (error) {
      throw this.#connection.failure(error);
    }
  }
}
