import type { Link } from './links.ts';
import type { FactValue, Message } from './message.ts';

/** Maximum number of fields of one section (Slack Block Kit). */
const MOST_FIELDS = 10;

/**
 * @returns the body for an incoming webhook of Slack. `text` is shown in notifications, and `blocks` in the channel.
 * Texts are `verbatim`, so that Slack makes no links or mentions from names.
 */
export function slackBody({ title, facts, links }: Message): object {
  const fields = facts
    .slice(0, MOST_FIELDS)
    .map(([label, value]) => markdown(`*${escaped(label)}*\n${shown(value)}`));
  return {
    text: escaped(title),
    blocks: [
      { type: 'section', text: markdown(`*${escaped(title)}*`) },
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      ...(links.length === 0
        ? []
        : [{ type: 'context', elements: [markdown(links.map(linkText).join(' · '))] }]),
    ],
  };
}

/** Renders a value. Slack shows a time in the time zone of each reader, and the text after `|` where it cannot. */
function shown(value: FactValue): string {
  if (typeof value === 'string') return escaped(value);
  return `<!date^${Math.floor(value.getTime() / 1_000)}^{date_short_pretty} {time}|${value.toISOString()}>`;
}

function linkText({ label, url }: Link): string {
  return `<${escaped(url).replaceAll('|', '%7C')}|${label}>`;
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
