import type { ErrorCode } from './wire.ts';

/** Codes for what happened before the service could answer. */
export type LocalErrorCode = 'unreachable' | 'unexpected_answer' | 'bearer_ended';

export interface SvcErrorFacts {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: ErrorCode | LocalErrorCode;
  /** The `X-Request-Id` of the answer, to give to the operator of the service. */
  readonly requestId: string | null;
  readonly message: string;
  /** The answer's other fields, such as `scopes`, `required` or `retryAfter`. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error of this package. Its text never holds what was sent. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly status: number;
  readonly code: ErrorCode | LocalErrorCode;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor({ status, code, requestId, message, details = {}, cause }: SvcErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}
