import type { WebhookFormat } from '@svc/contract';
import { type Message, messageOf } from './message.ts';
import { slackBody } from './slack.ts';
import { teamsBody } from './teams.ts';

/**
 * @returns the request body of a delivery in the format of its webhook. The parameter `body` is
 * `{"event":…,"payload":…}` (contract 2).
 */
export function bodyFor(format: WebhookFormat, body: string): string {
  switch (format) {
    case 'svc':
      return body;
    case 'slack':
      return JSON.stringify(slackBody(messageIn(body)));
    case 'teams':
      return JSON.stringify(teamsBody(messageIn(body)));
  }
}

/** @returns a title of one line for the event of a delivery */
export function summaryOf(body: string): string {
  return messageIn(body).title;
}

function messageIn(body: string): Message {
  const { event, payload } = JSON.parse(body) as { event: string; payload: Record<string, unknown> | null };
  return messageOf(event, payload ?? {});
}
