import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { hold, openDatabase } from '../src/connection/held-database.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('nothing of better-sqlite3 is left to the garbage collector, which ends Node.js 24 on it (contract 9)', async () => {
  const seen = (() => {
    const database = openDatabase(':memory:');
    const statement = database.prepare('select 1 union select 2');
    const rows = hold(statement.iterate());
    const refs = [database, statement, rows, { collected: true }].map((each) => new WeakRef<object>(each));
    rows.return?.();
    database.close();
    return refs;
  })();
  await turn();
  collectGarbage();
  expect(seen.map((ref) => ref.deref() !== undefined)).toEqual([true, true, true, false]);
});
