import type { WebhookFormat } from '@svc/contract';
import { linksOf, type MessageContext } from './links.ts';
import { type Message, messageOf } from './message.ts';
import { slackBody } from './slack.ts';
import { teamsBody } from './teams.ts';

/** For messages without links, such as the title in a list of deliveries. */
const NO_CONTEXT: MessageContext = { publicUrl: null, sessionOwner: () => null };

/**
 * @returns the request body of a delivery in the format of its webhook. The parameter `body` is
 * `{"event":…,"payload":…}` (contract 2).
 */
export function bodyFor(format: WebhookFormat, body: string, context: MessageContext): string {
  switch (format) {
    case 'svc':
      return body;
    case 'slack':
      return JSON.stringify(slackBody(messageIn(body, context)));
    case 'teams':
      return JSON.stringify(teamsBody(messageIn(body, context)));
  }
}

/** @returns a title of one line for the event of a delivery */
export function summaryOf(body: string): string {
  return messageIn(body, NO_CONTEXT).title;
}

function messageIn(body: string, context: MessageContext): Message {
  const { event, payload } = JSON.parse(body) as { event: string; payload: Record<string, unknown> | null };
  const given = payload ?? {};
  const owner = typeof given.sessionId === 'string' ? context.sessionOwner(given.sessionId) : null;
  return { ...messageOf(event, given, owner), links: linksOf(given, context) };
}
