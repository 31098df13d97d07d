import { ApiError } from '../../api/api-error.ts';
import { texts } from '../../texts/en.ts';
import type { FieldProblems } from '../../ui/index.ts';

/**
 * Converts an error of the API to messages at the fields of the form.
 * @returns undefined if the error belongs to no field, so that the form shows it
 */
export function problemsOf(error: unknown): FieldProblems<{ email: string; name: string }> | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { code, message } = error;
  if (code === 'conflict') return { email: texts.users.emailTaken };
  if (code === 'invalid_name') return { name: texts.users.nameWrong };
  if (code === 'invalid_email' || (code === 'bad_request' && message.startsWith('email')))
    return { email: texts.users.emailWrong };
  return undefined;
}
