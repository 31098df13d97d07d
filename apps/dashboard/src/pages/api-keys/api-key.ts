import { ApiError } from '../../api/api-error.ts';
import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';

export type ApiKey = Answer<'listApiKeys'>[number];

/**
 * Replaces a "not found" error by a sentence that the key may belong to another Admin. For such a key, the API responds
 * as if it did not exist (contract 2, DELETE /apikeys/:id).
 */
export async function withOwnerHint<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    throw texts.apiKeys.notYours;
  }
}
