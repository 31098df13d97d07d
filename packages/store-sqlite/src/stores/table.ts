import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

type SqlValue = string | number | null;

/** How a field is stored whose value is not one of SQLite. */
export interface Codec<T> {
  readonly isNullable: boolean;
  store(value: T): SqlValue;
  load(value: never): T;
}

/** Column of a text or number. */
export const required = { isNullable: false } as const;
export const nullable = { isNullable: true } as const;

/** Column of a value as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the value has the type of its field.
export const json: Codec<any> = {
  isNullable: false,
  store: (value) => JSON.stringify(value),
  load: (value: string) => JSON.parse(value),
};

/** Column of a boolean as 0 or 1. */
export const flag = {
  isNullable: false,
  store: (value: boolean) => Number(value),
  load: (value: number) => value !== 0,
};

/** Column of texts without spaces. */
export const words = {
  isNullable: false,
  store: (value: readonly string[]) => value.join(' '),
  load: (value: string) => value.split(' ').filter((word) => word !== ''),
};

export function orNull<T>(codec: Codec<T>): Codec<T | null> {
  return {
    isNullable: true,
    store: (value) => (value === null ? null : codec.store(value)),
    load: (value) => (value === null ? null : codec.load(value)),
  };
}

/** Column of an optional field, which is null if the field is absent. */
export function ifPresent<T>(codec: Codec<T>): Codec<T> {
  return {
    isNullable: true,
    store: (value) => (value === undefined ? null : codec.store(value)),
    load: (value) => (value === null ? (undefined as T) : codec.load(value)),
  };
}

type ColumnOf<T> =
  | Codec<T>
  | ([T] extends [SqlValue | undefined] ? (null extends T ? typeof nullable : typeof required) : never);

/**
 * The only list of the columns of a table: its queries, its rows and the test that compares it with the database derive
 * from it. A column has the name of its field in snake case. Times are in ms since 1970.
 */
export interface Table<E> {
  readonly name: string;
  readonly columns: { readonly [F in keyof E]-?: ColumnOf<E[F]> };
}

export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Prepares the statements of one table. Each must be prepared once (see `held-database.ts`). */
export class Rows<E extends object> {
  /** `select` of all columns, under the names of the fields. */
  readonly select: string;
  readonly #connection: Connection;
  readonly #table: Table<E>;
  readonly #fields: string[];
  readonly #codecs: [field: string, codec: Codec<unknown>][];

  constructor(connection: Connection, table: Table<E>) {
    this.#connection = connection;
    this.#table = table;
    const columns = Object.entries(table.columns) as [string, object][];
    this.#fields = columns.map(([field]) => field);
    this.#codecs = columns.filter(([, column]) => 'load' in column) as [string, Codec<unknown>][];
    const selected = this.#fields.map((field) => `"${table.name}"."${columnName(field)}" as "${field}"`);
    this.select = `select ${selected.join(', ')} from "${table.name}"`;
  }

  /** @returns the same rows with only these fields */
  only<F extends keyof E & string>(...fields: F[]): Rows<Pick<E, F>> {
    const columns = Object.fromEntries(fields.map((field) => [field, this.#table.columns[field]]));
    return new Rows(this.#connection, { ...this.#table, columns } as unknown as Table<Pick<E, F>>);
  }

  /** @param rest what follows `select … from` the table */
  all<P = NoParams>(rest: string): (params: P) => E[] {
    return this.query(`${this.select} ${rest}`);
  }

  query<P>(sql: string): (params: P) => E[] {
    const statement = this.#connection.prepare<P, E>(sql);
    return (params) => statement.all(params).map(this.load);
  }

  first<P = { id: string }>(rest = 'where id = @id'): (params: P) => E | undefined {
    return this.queryOne(`${this.select} ${rest}`);
  }

  queryOne<P>(sql: string): (params: P) => E | undefined {
    const statement = this.#connection.prepare<P, E>(sql);
    return (params) => {
      const row = statement.get(params);
      return row && this.load(row);
    };
  }

  /** @param rest what follows the values, such as `on conflict` */
  insert(rest = ''): (row: E) => number {
    const columns = this.#fields.map((field) => `"${columnName(field)}"`).join(', ');
    const values = this.#fields.map((field) => `@${field}`).join(', ');
    return this.run<E>(`insert into "${this.#table.name}" (${columns}) values (${values}) ${rest}`);
  }

  /** Inserts a row, or replaces the row with the same key. */
  save(...key: (keyof E & string)[]): (row: E) => number {
    const others = this.#fields.filter((field) => !key.includes(field as keyof E & string));
    return this.insert(`on conflict (${key.map(columnName).join(', ')}) do update set ${assigned(others)}`);
  }

  update<F extends keyof E & string>(
    ...fields: F[]
  ): (change: Pick<E, F> & { readonly id: string }) => number {
    return this.run(`update "${this.#table.name}" set ${assigned(fields)} where id = @id`);
  }

  remove<P extends object = { id: string }>(where = 'id = @id'): (params: P) => number {
    return this.run(`delete from "${this.#table.name}" where ${where}`);
  }

  /** Prepares a statement with values of this table's fields. */
  run<P extends object>(sql: string): (params: P) => number {
    const statement = this.#connection.prepare<P, never>(sql);
    const named = new Set(sql.match(/@\w+/g));
    const codecs = this.#codecs.filter(([field]) => named.has(`@${field}`));
    if (codecs.length === 0) return (params) => statement.run(params);
    return (params) => {
      const row = { ...params } as Record<string, unknown>;
      for (const [field, codec] of codecs) row[field] = codec.store(row[field]);
      return statement.run(row as P);
    };
  }

  /** Converts a selected row. Changes the row itself, because no other code has it. */
  readonly load = (row: E): E => {
    const values = row as Record<string, unknown>;
    for (const [field, codec] of this.#codecs) {
      const value = codec.load(values[field] as never);
      if (value === undefined) delete values[field];
      else values[field] = value;
    }
    return row;
  };
}

function assigned(fields: readonly string[]): string {
  return fields.map((field) => `"${columnName(field)}" = @${field}`).join(', ');
}
