import type { ErrorCode } from '@svc/contract';

/** `unreachable`: there was no answer. `unexpected_answer`: it was not the service that answered. */
export type ApiErrorCode = ErrorCode | 'unreachable' | 'unexpected_answer';

interface Facts {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly message?: string;
  readonly requestId?: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A call that was refused or failed; the one thing `call` throws. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ApiErrorCode;
  /** For the operator of the service. */
  readonly requestId: string | null;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** The other fields of the answer, such as `scopes`, `required` or `field`. */
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
