/**
 * A call of the service's API; gives `{ status, body }`, status 0 when the server was not reached. Every request may
 * carry a password or a reset token, so all are marked: the automation server's log leaves their bodies out.
 */
export async function call(method, path, json) {
  try {
    const answer = await fetch(`/svc/api${path}`, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        'x-auto-is-sensitive': 'true',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, body: isJson ? await answer.json() : {} };
  } catch {
    return { status: 0, body: {} };
  }
}

const SENTENCES = {
  'invalid credentials': 'The e-mail or the password is wrong.',
  'incorrect current password': 'The current password is wrong.',
  'password must be at least 8 characters': 'The new password must have at least 8 characters.',
  'password is too long': 'The new password is too long: 72 bytes at most.',
  'password has an unusable character': 'The new password has a character that cannot be used.',
  'password is too common': 'The new password is one of the most common ones. Choose another.',
  unavailable: 'The server cannot check this at the moment. Try again later.',
  overloaded: 'Many people are signing in at once. Try again in a moment.',
};

/** What went wrong, as a sentence for a person. */
export function sentence({ status, body }) {
  if (status === 0) return 'The server cannot be reached.';
  if (status === 429) return `Too many tries. Try again in ${wait(body.retryAfter)}.`;
  return SENTENCES[body.error] ?? body.message ?? 'Something went wrong. Try again.';
}

function wait(seconds) {
  if (!(seconds > 90)) return `${seconds ?? 'some'} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
