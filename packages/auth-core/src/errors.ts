import { ERROR_STATUS, type ErrorCode } from '@svc/contract';

/**
 * An error that becomes an HTTP response. It has no stack trace, because collecting one would make a refusal slower
 * than any other response.
 */
export class HttpResponse extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
  }
}

/**
 * Error that refuses a request. `code` is the public error code, which is listed in the table of the contract package.
 * `reason` is the full reason, which only the audit trail and the log get. `fields` are the public members of the
 * response beside `error`.
 */
export class Refusal extends HttpResponse {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, reason: string = code, fields: Readonly<Record<string, unknown>> = {}) {
    super(reason);
    this.name = 'Refusal';
    this.code = code;
    this.reason = reason;
    this.fields = fields;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/**
 * Error for a check that could not run because the database or the signing key is unavailable. The response is 503,
 * never 401, and the request is never let through (contract 1).
 */
export class Unavailable extends HttpResponse {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'Unavailable';
  }
}

/**
 * Error for a value that must be unique but is already taken. Stores throw it, and the API responds with 409
 * `conflict`.
 */
export class Conflict extends HttpResponse {
  constructor(what: string) {
    super(what);
    this.name = 'Conflict';
  }
}
