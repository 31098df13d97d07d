/**
 * Error that refuses a request below `/svc/oauth`. The response has the shape of RFC 6749, section 5.2.
 */
export class OAuthRefusal extends Error {
  readonly error: string;
  readonly description: string;
  readonly status: number;
  readonly retryAfter: number | undefined;
  constructor(
    error: string,
    description: string,
    { status = 400, retryAfter }: { readonly status?: number; readonly retryAfter?: number } = {},
  ) {
    super(description);
    this.error = error;
    this.description = description;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
