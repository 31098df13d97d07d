import { ApiError } from '../../api/api-error.ts';
import { texts } from '../../texts/en.ts';

/** Refusals that belong to one field. */
export interface UserProblems {
  readonly email?: string;
  readonly name?: string;
}

/** Undefined: it belongs to no field, and the form says it. */
export function problemsOf(error: unknown): UserProblems | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { code, message } = error;
  if (code === 'conflict') return { email: texts.users.emailTaken };
  if (code === 'invalid_name') return { name: texts.users.nameWrong };
  if (code === 'invalid_email' || (code === 'bad_request' && message.startsWith('email')))
    return { email: texts.users.emailWrong };
  return undefined;
}
