/** The start cannot go on with this database; the message tells the operator what to do (specification 9.1.6). */
export class SchemaMismatch extends Error {
  /** The tables are missing or behind, and migrating was not allowed. */
  readonly isBehind: boolean;

  constructor(message: string, cause?: unknown, isBehind = false) {
    super(message, { cause });
    this.name = 'SchemaMismatch';
    this.isBehind = isBehind;
  }
}
