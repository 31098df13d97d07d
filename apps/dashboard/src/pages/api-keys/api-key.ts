import { ApiError } from '../../api/api-error.ts';
import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';

export type ApiKey = Answer<'listApiKeys'>[number];

/** The API answers for another Admin's key as for none (contract 2, DELETE /apikeys/:id). */
export async function ofAnyone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    throw texts.apiKeys.notYours;
  }
}
