/**
 * Reason why the server cannot start: the tables are missing or out of date and must not be changed (`behind`), a newer
 * version created them (`newer`), data would be lost (`loss`), or rows or migrations do not fit the tables (`rows`).
 */
export type MismatchKind = 'behind' | 'newer' | 'loss' | 'rows';

/**
 * Thrown if the server cannot start with this database. The message says what the operator can do (specification
 * 9.1.6).
 */
export class SchemaMismatch extends Error {
  readonly kind: MismatchKind;

  constructor(kind: MismatchKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SchemaMismatch';
    this.kind = kind;
  }
}
