import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** As many people as the service has different callers. */
export const PEOPLE = 5_000;

export interface Person {
  readonly id: string;
  readonly email: string;
}

/** A database of people, each with a token that is stored as a hash. */
export class People {
  readonly database: Database.Database;
  /** The tokens in clear text, in the order of the people. */
  readonly tokens: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  readonly #byId: Database.Statement<[string], Person>;
  readonly #byToken: Database.Statement<[string], Person>;

  constructor() {
    this.database = new Database(join(this.#folder, 'people.db'));
    this.database.pragma('journal_mode = wal');
    this.database.exec('create table people (id text primary key, email text, token text unique)');
    const insert = this.database.prepare('insert into people values (?, ?, ?)');
    this.tokens = Array.from({ length: PEOPLE }, () => randomBytes(32).toString('hex'));
    this.database.transaction(() => {
      for (const [index, token] of this.tokens.entries())
        insert.run(`user-${index}`, `user-${index}@lab.test`, hash('sha256', token));
    })();
    this.#byId = this.database.prepare('select id, email from people where id = ?');
    this.#byToken = this.database.prepare('select id, email from people where token = ?');
  }

  byId(id: string): Person | undefined {
    return this.#byId.get(id);
  }

  byToken(token: string): Person | undefined {
    return this.#byToken.get(hash('sha256', token));
  }

  close(): void {
    this.database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
