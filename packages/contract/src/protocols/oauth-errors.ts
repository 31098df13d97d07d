/**
 * HTTP status of each value of `error` in responses below `/svc/oauth` (RFC 6749 5.2, RFC 7009, RFC 8628; contract 10).
 * A code that the RFCs do not define has the same status as the API's error for the same problem.
 */
export const OAUTH_ERROR_STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_token_type: 400,
  // Codes for polls of a terminal that signs in (RFC 8628 3.5).
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  insufficient_scope: 403,
  not_found: 404,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

export type OAuthErrorCode = keyof typeof OAUTH_ERROR_STATUS;
