import { ERROR_STATUS, type ErrorCode } from '@svc/contract';

/** Errors that are answers carry no stack: a refusal must cost no more than an answer. */
class HttpResponse extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
  }
}

/**
 * A request that is refused. `code` is the public word (one of the table in the contract package), `reason` says
 * why in full and goes to the audit trail and the log only, `fields` are the public members beside `error`.
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
 * A check that could not run: database or signing key out of reach. Answered 503, never 401 and never let through
 * (contract 1).
 */
export class Unavailable extends HttpResponse {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'Unavailable';
  }
}

/** A value that must be unique is taken; stores throw it, the API answers 409 `conflict`. */
export class Conflict extends HttpResponse {
  constructor(what: string) {
    super(what);
    this.name = 'Conflict';
  }
}

/** A value that cannot be used where the default would be unsafe; stops the start. */
export class ConfigError extends Error {
  /** Ends the warning where the value does not stop the start. */
  readonly consequence: string;

  constructor(message: string, consequence = 'using the default') {
    super(message);
    this.consequence = consequence;
  }
}
