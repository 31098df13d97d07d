import { ERROR_STATUS, type ErrorCode, OAUTH_ERROR_STATUS, type OAuthErrorCode } from '@svc/contract';

/**
 * An error that becomes an HTTP response. It has no stack trace, because collecting one would make a refusal slower
 * than any other response.
 */
class HttpResponse extends Error {
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
 * Error that refuses a request below `/svc/oauth` with an error code of OAuth (RFC 6749 5.2). The client gets
 * `description`; only the audit trail and the log get `reason`. The audit trail combines refusals with the same `group`
 * into shared rows.
 */
export class OAuthRefusal extends HttpResponse {
  readonly code: OAuthErrorCode;
  readonly description: string | undefined;
  readonly reason: string;
  readonly group: string | undefined;
  readonly status: number;

  constructor(
    code: OAuthErrorCode,
    description?: string,
    reason: string = description ?? code,
    group?: string,
    status: number = OAUTH_ERROR_STATUS[code],
  ) {
    super(reason);
    this.name = 'OAuthRefusal';
    this.code = code;
    this.group = group;
    this.description = description;
    this.reason = reason;
    this.status = status;
  }
}

/** Error types of SCIM (RFC 7644 3.12). Each has the status 400, except `uniqueness`, which has 409. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** Error that refuses a SCIM request because of its content. The client gets `detail`. */
export class ScimRefusal extends HttpResponse {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly detail: string;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail);
    this.name = 'ScimRefusal';
    this.status = status;
    this.scimType = scimType;
    this.detail = detail;
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

/**
 * Error for a setting that cannot be used. The server does not start if its default for the setting would be unsafe.
 * Otherwise it starts and logs a warning.
 */
export class ConfigError extends Error {
  /**
   * Text after the message in the warning, such as `using the default`. It is used if the server starts in spite of the
   * error.
   */
  readonly consequence: string;

  constructor(message: string, consequence = 'using the default') {
    super(message);
    this.consequence = consequence;
  }
}
