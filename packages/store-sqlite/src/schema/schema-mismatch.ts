/**
 * Reason why the server cannot start:
 * - `behind`: tables are missing or out of date, and `SVC_AUTO_MIGRATE` is false.
 * - `newer`: a newer version has changed the tables.
 * - `loss`: updating the tables would delete data.
 * - `rows`: a migration failed, or rows do not fit the updated tables or refer to missing rows.
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
