import type { ErrorCode } from './wire.ts';

/**
 * Error codes of the client itself: the service did not respond, its response is not valid, or the client has no valid
 * bearer token (any more).
 */
export type LocalErrorCode = 'unreachable' | 'unexpected_answer' | 'bearer_ended';

export interface SvcErrorFacts {
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode | LocalErrorCode;
  /**
   * `X-Request-Id` of the response, or null if there is none. The operator of the service can find the request by this
   * id.
   */
  readonly requestId: string | null;
  readonly message: string;
  /** Other fields of the error response's body, such as `scopes`, `required` or `retryAfter`. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Error of a failed request to the service. Its message never contains credentials or other data of the request. */
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
