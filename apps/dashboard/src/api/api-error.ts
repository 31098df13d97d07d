import type { ApiErrorCode } from '../texts/en/errors.ts';

interface Facts {
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly message?: string;
  readonly requestId?: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Error of an API call that was refused or failed. If `call` rejects, then with this class or with the reason of the
 * signal that aborted the call.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ApiErrorCode;
  /**
   * Id of the request, by which the operator of the service can find the request in the log. Null if the response had
   * none.
   */
  readonly requestId: string | null;
  /** Seconds after which the call may be repeated, or undefined if the response does not say so. */
  readonly retryAfter: number | undefined;
  /** Other fields of the response, such as `scopes`, `required` or `field`. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor({ status, code, message = '', requestId = null, fields = {} }: Facts) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.fields = fields;
    this.retryAfter = typeof fields.retryAfter === 'number' ? fields.retryAfter : undefined;
  }
}
