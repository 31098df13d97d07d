import { texts } from '../texts/en.ts';
import { ApiError } from './api-error.ts';

/** What went wrong, as a sentence for a person. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.errors.unknown;
  const { code, retryAfter, status, message } = error;
  if (status === 429 && retryAfter !== undefined) return texts.errors.tooMany(retryAfter);
  const known = (texts.errors.byCode as Partial<Record<string, string>>)[code];
  return known ?? (message === '' ? texts.errors.unknown : message);
}
