/**
 * Every value of the field `error` in refusals below `/svc/api`, with its HTTP status (specification 7, contract 1 and
 * 2). The server, the clients and the documentation all use this table.
 */
export const ERROR_STATUS = {
  // Codes for missing or invalid credentials (specification 5.1.3).
  'invalid credentials': 401,
  'invalid token': 401,
  'invalid session': 401,
  unauthenticated: 401,
  'invalid ticket': 401,
  // Codes of the origin check (specification 5.6.2).
  'CSRF: Origin or Referer header required': 403,
  'CSRF: invalid Origin/Referer': 403,
  'CSRF: Origin/Referer mismatch': 403,
  // Codes for callers who are known but not allowed.
  insufficient_role: 403,
  insufficient_scope: 403,
  sign_in_required: 403,
  fresh_sign_in_required: 403,
  'super admin required': 403,
  rotation_needs_sign_in_or_admin: 403,
  role_exceeds_yours: 403,
  not_your_session: 403,
  scope_exceeds_key: 403,
  invalid_target: 403,
  managed_by_hub: 403,
  limit_reached: 403,
  spectators_off: 403,
  agents_mint_bearers_only: 403,
  // Codes for requests that cannot be served as they were sent.
  bad_request: 400,
  'invalid argument': 400,
  unknown_scope: 400,
  unknown_audience: 400,
  unknown_team: 400,
  invalid_name: 400,
  invalid_email: 400,
  invalid_expiry: 400,
  invalid_rate_limit: 400,
  invalid_setting: 400,
  invalid_url: 400,
  invalid_lease: 400,
  invalid_passkey: 400,
  invalid_rule: 400,
  unsupported_input: 400,
  expiry_exceeds_credential: 400,
  scope_exceeds_credential: 400,
  cannot_change_yourself: 400,
  last_super_admin: 400,
  last_way_in: 400,
  team_not_empty: 400,
  'email and password required': 400,
  'incorrect current password': 400,
  'password must be at least 8 characters': 400,
  'password is too long': 400,
  'password has an unusable character': 400,
  'password is too common': 400,
  not_found: 404,
  'invalid or expired token': 404,
  no_such_source: 404,
  conflict: 409,
  user_not_active: 409,
  device_not_yours: 409,
  device_busy: 409,
  session_running: 409,
  too_many: 409,
  too_many_tokens: 409,
  too_many_leases: 409,
  too_many_passkeys: 409,
  too_many_rules: 409,
  app_library_full: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  // Codes for exceeded limits (specification 5.9.3, 5.10.5, 8.1).
  'too many login attempts': 429,
  'too many reset requests': 429,
  'too many password attempts': 429,
  'rate limit exceeded': 429,
  too_many_uploads: 429,
  minutes_used_up: 429,
  // Codes for failures of the server or of a driver.
  internal: 500,
  driver_failed: 502,
  unavailable: 503,
  overloaded: 503,
  disk_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Body of every error response of the API (contract 1). */
export interface ErrorBody {
  error: ErrorCode;
  message?: string;
  [field: string]: unknown;
}

/**
 * Body of WebDriver's response for an unknown session. The server refuses a command of a caller without rights to the
 * session with exactly these bytes, so that this caller cannot find out whether the session exists (contract 7).
 */
export const UNKNOWN_SESSION_BODY =
  '{"value":{"error":"invalid session id","message":"A session is either terminated or not started","stacktrace":""}}';
