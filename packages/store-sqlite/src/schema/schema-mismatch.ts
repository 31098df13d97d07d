/**
 * Why the start cannot go on: the tables are missing or behind and may not be changed; a newer version made them; data
 * would be lost; rows or migrations do not fit.
 */
export type MismatchKind = 'behind' | 'newer' | 'loss' | 'rows';

/** The start cannot go on with this database; the message tells the operator what to do (specification 9.1.6). */
export class SchemaMismatch extends Error {
  readonly kind: MismatchKind;

  constructor(kind: MismatchKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SchemaMismatch';
    this.kind = kind;
  }
}
