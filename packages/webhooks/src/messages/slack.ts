import type { Message } from './message.ts';

/** Maximum number of fields of one section (Slack Block Kit). */
const MOST_FIELDS = 10;

/**
 * @returns the body for an incoming webhook of Slack. `text` is shown in notifications, and `blocks` in the channel.
 * Texts are `verbatim`, so that Slack makes no links or mentions from names.
 */
export function slackBody({ title, facts }: Message): object {
  const fields = facts
    .slice(0, MOST_FIELDS)
    .map(([label, value]) => markdown(`*${escaped(label)}*\n${escaped(value)}`));
  return {
    text: escaped(title),
    blocks: [
      { type: 'section', text: markdown(`*${escaped(title)}*`) },
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
    ],
  };
}

function markdown(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

/**
 * Escapes the three characters with which mentions and links begin in Slack's `mrkdwn`. Otherwise a session named
 * `<!channel>` would notify all members of the channel.
 */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
