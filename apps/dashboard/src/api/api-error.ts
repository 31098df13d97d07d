import type { ApiErrorCode } from '../texts/en/errors.ts';

interface Facts {
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly message?: string;
  readonly requestId?: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A call that was refused or failed. `call` throws no other error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ApiErrorCode;
  /** Helps the operator of the service to find the request. */
  readonly requestId: string | null;
  /** In seconds. */
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
