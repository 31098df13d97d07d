import type Database from 'better-sqlite3';
import type { AuditChain, ChainMark, MarkName } from './audit-chain.ts';

/**
 * Stores two signed marks for the last audit row: `legacy`, because an svc version without a signing key wrote this row
 * and all before it, and `head`, because this row is the last one. Has no effect if there are no audit rows or if any
 * mark is already stored. The caller must hold the write lock.
 */
export function adoptRows(database: Database.Database, chain: AuditChain): void {
  const last = database
    .prepare<[], Pick<ChainMark, 'number' | 'hash'>>(
      'select number, hash from audit order by number desc limit 1',
    )
    .get();
  const marked = database.prepare('select 1 from audit_marks').get();
  if (last === undefined || marked !== undefined) return;
  const mark = database.prepare<[ChainMark & { name: MarkName }]>(
    'insert into audit_marks (name, number, hash, seal) values (@name, @number, @hash, @seal)',
  );
  for (const name of ['legacy', 'head'] as const) mark.run({ name, ...chain.seal(name, last) });
}

/**
 * Checks whether this key signed the mark of the last audit row (`head`).
 * @returns true also if there are neither rows nor a mark, and false if there are rows but no mark
 */
export function headFits(database: Database.Database, chain: AuditChain): boolean {
  const head = database
    .prepare<[], ChainMark>("select number, hash, seal from audit_marks where name = 'head'")
    .get();
  if (head !== undefined) return chain.isSealed('head', head);
  return database.prepare('select 1 from audit').get() === undefined;
}
