import type { ErrorBody, ErrorCode } from './errors.ts';

/** Messages for people, for the error codes that do not explain themselves. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  bad_request: 'The request is not valid.',
  body_too_large: 'The request body is larger than this server takes.',
  unsupported_media_type:
    'Send the body as application/json in UTF-8, a file as multipart/form-data, not compressed.',
  not_found: 'There is nothing at this address.',
  unavailable: 'The check could not run; nothing was changed. Try again later.',
  app_library_full: 'The app library is full: remove an app first.',
  too_many_tokens:
    'Your account has as many Profile tokens as it may have. Revoke one that is no longer needed.',
  too_many_leases: 'Your account holds as many leases as it may have. End one that is no longer needed.',
  minutes_used_up: 'The minutes of today are used up. The next day (UTC) brings new ones.',
  too_many_rules: 'The lab has as many trust rules as it may have. Delete one that is no longer needed.',
  too_many_passkeys: 'Your account has as many passkeys as it may have. Remove one that you no longer use.',
  invalid_passkey: 'The response of the authenticator does not fit. Begin again.',
  fresh_sign_in_required:
    'Prove again who you are with POST /auth/reauthenticate, then repeat the request within 10 minutes.',
  too_many_uploads: 'Too many uploads run at once. Try again when one of them is done.',
  disk_full: 'There is no room left on the disk of the server; nothing was kept.',
  overloaded: 'Too many sign-ins at once. Try again in a moment.',
  internal: 'Something went wrong on the server; its log has this request id.',
  session_running: 'The session is still recorded. Delete its recording when it has ended.',
  agents_mint_bearers_only: 'An agent makes nothing but bearer tokens. A person has to do this.',
  device_not_yours: 'No session of yours runs on this phone, and you do not lease it.',
  unsupported_input: 'The phone does not accept this input in this way.',
  driver_failed: 'The driver of the phone did not do it.',
  invalid_target: 'What the proxy asks about cannot be read in one way, or it names nothing.',
  insufficient_role: 'Your role does not allow this.',
  insufficient_scope: 'Your credential lacks the scope this needs.',
};

/**
 * Builds the body that every error response of the API has. It never contains a stack, SQL, a path or an input value
 * (contract 1).
 */
export function errorBody(code: ErrorCode, fields: object = {}): ErrorBody {
  const message = MESSAGES[code];
  return { error: code, ...(message === undefined ? {} : { message }), ...fields };
}
