import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';

type Outcome = Pick<Answer<'testWebhook'>, 'status' | 'error'>;

/** Describes the result of a webhook delivery in words. */
export function outcomeText({ status, error }: Outcome): string {
  if (status !== null) return texts.webhooks.answered(status);
  return texts.webhooks.failures[error ?? 'no_response'];
}
