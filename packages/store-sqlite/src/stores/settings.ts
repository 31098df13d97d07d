import type { SettingStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

export class SettingRows implements SettingStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;
  #all: ReadonlyMap<string, unknown> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
    connection.onInvalidate(() => {
      this.#all = undefined;
    });
  }

  all(): ReadonlyMap<string, unknown> {
    this.#connection.checkForOtherWriters();
    this.#all ??= new Map(this.#statements.all.all({}).map(({ key, value }) => [key, frozen(value)]));
    return this.#all;
  }

  save(values: ReadonlyMap<string, unknown>): void {
    this.#all = undefined;
    for (const [key, value] of values) {
      if (value === undefined) this.#statements.remove.run({ key });
      else this.#statements.save.run({ key, value: JSON.stringify(value) });
    }
  }
}

/** Parses the JSON of a setting. Freezes the value and all nested objects, because all callers get the same object. */
function frozen(json: string): unknown {
  return JSON.parse(json, (_, value) => Object.freeze(value));
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, { key: string; value: string }>(
      'select key, value from settings order by key',
    ),
    save: connection.prepare<{ key: string; value: string }, never>(`
      insert into settings (key, value) values (@key, @value)
      on conflict (key) do update set value = @value`),
    remove: connection.prepare<{ key: string }, never>('delete from settings where key = @key'),
  };
}
