import type { SettingStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { Params, Prepare } from '../connection/statements.ts';

export class Settings implements SettingStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;
  #all: ReadonlyMap<string, unknown> | undefined;

  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#statements = statements(prepare);
    connection.onForget(() => {
      this.#all = undefined;
    });
  }

  all(): ReadonlyMap<string, unknown> {
    this.#connection.fresh();
    this.#all ??= new Map(this.#statements.all.all({}).map(({ key, value }) => [key, frozen(value)]));
    return this.#all;
  }

  /** Those named; the others stay. `undefined` takes one back to its default. */
  save(values: ReadonlyMap<string, unknown>): void {
    this.#all = undefined;
    for (const [key, value] of values) {
      if (value === undefined) this.#statements.remove.run({ key });
      else this.#statements.save.run({ key, value: JSON.stringify(value) });
    }
  }
}

/** Everyone who asks gets the same object. */
function frozen(json: string): unknown {
  return JSON.parse(json, (_, value) => Object.freeze(value));
}

function statements(prepare: Prepare) {
  return {
    all: prepare((query) => query.selectFrom('settings').select(['key', 'value']).orderBy('key')),
    save: prepare((query, at: Params<{ key: string; value: string }>) =>
      query
        .insertInto('settings')
        .values({ key: at.key, value: at.value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: at.value })),
    ),
    remove: prepare((query, at: Params<{ key: string }>) =>
      query.deleteFrom('settings').where('key', '=', at.key),
    ),
  };
}
