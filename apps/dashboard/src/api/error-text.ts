import { texts } from '../texts/en.ts';
import { ApiError } from './api-error.ts';

/**
 * @returns a sentence that explains the error to the user. A string is returned unchanged, because this code throws
 * strings only as sentences for the user.
 */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof ApiError)) return texts.errors.unknown;
  const { code, retryAfter, status, message } = error;
  if (status === 429 && retryAfter !== undefined) return texts.errors.tooMany(retryAfter);
  const known = (texts.errors.byCode as Partial<Record<string, string>>)[code];
  return known ?? (message === '' ? texts.errors.unknown : message);
}
