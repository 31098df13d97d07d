/** The start cannot go on with this database; the message tells the operator what to do (specification 9.1.6). */
export class SchemaMismatch extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SchemaMismatch';
  }
}
