import type { ErrorCode } from '@svc/contract';

/**
 * Codes of failed calls: those of the API, `unreachable` if there was no response, and `unexpected_answer` if the
 * response did not come from the service.
 */
export type ApiErrorCode = ErrorCode | 'unreachable' | 'unexpected_answer';

function wait(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** Texts for error codes. For a code without a text, the page shows the server's message. */
const byCode: Partial<Record<ApiErrorCode, string>> = {
  unreachable: 'The server cannot be reached.',
  unexpected_answer: 'The response did not come from the lab server.',
  'invalid credentials': 'The e-mail or the password is wrong.',
  'incorrect current password': 'The current password is wrong.',
  'password must be at least 8 characters': 'The new password must have at least 8 characters.',
  'password is too long': 'The new password is too long: 72 bytes at most.',
  'password has an unusable character': 'The new password has a character that cannot be used.',
  'password is too common': 'The new password is one of the most common ones. Choose another.',
  sign_in_required: 'This needs you to sign in. Sign out, then sign in with your password.',
  fresh_sign_in_required: 'Confirm that it is you, then try again.',
  insufficient_role: 'Your role does not allow this.',
  insufficient_scope: 'Your sign-in lacks the scope that this needs.',
  role_exceeds_yours: 'Your role does not allow this for a user with their role.',
  not_your_session: 'This session belongs to someone else.',
  not_found: 'It no longer exists.',
  conflict: 'This name or address is already used.',
  invalid_name: 'This name cannot be used.',
  invalid_email: 'This is not an e-mail address.',
  invalid_expiry: 'The expiry must be in the future.',
  expiry_exceeds_credential: 'It cannot last longer than your own sign-in.',
  scope_exceeds_credential: 'It cannot have scopes that you do not have.',
  spectators_off: 'This lab does not allow such links.',
  too_many: 'There are already as many as allowed; end one first.',
  too_many_tokens:
    'Your account has as many Profile tokens as it may have. Delete one that you no longer need.',
  too_many_leases: 'Your account holds as many phones as it may. End a lease that you no longer need.',
  agents_mint_bearers_only: 'An agent cannot do this. A person has to do it.',
  unknown_team: 'There is no such team.',
  cannot_change_yourself: 'You cannot do this to your own account.',
  last_super_admin: 'At least one active Super admin must remain.',
  last_way_in: 'You could not sign in without it. Set a password or add a passkey first.',
  user_not_active: 'The user is not active.',
  body_too_large: 'It is too large for this server.',
  device_busy: 'The phone is in use.',
  session_running: 'The session is still recorded. Delete its recording when it has ended.',
  device_not_yours: 'No session of yours runs on this phone, and you do not lease it.',
  unsupported_input: 'The phone does not accept this input without a session.',
  unavailable: 'The server cannot check this at the moment. Try again later.',
  overloaded: 'Many people are signing in at the same time. Try again in a moment.',
  internal: 'Something went wrong on the server.',
};

export const errorTexts = {
  byCode,
  unknown: 'Something went wrong. Try again.',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${wait(seconds)}.`,
};
