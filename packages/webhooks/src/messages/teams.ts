import type { FactValue, Message } from './message.ts';

/**
 * @returns the body for a workflow of Microsoft Teams that starts when it receives a webhook request: a message with
 * one Adaptive Card. The texts are in a `RichTextBlock`, which shows Markdown as plain text. A `TextBlock` would turn
 * Markdown in the name of a session or phone into a link.
 */
export function teamsBody({ title, facts, links }: Message): object {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block([{ ...run(title), size: 'Medium', weight: 'Bolder' }]),
            ...facts.map(([label, value]) => factOf(label, value)),
          ],
          ...(links.length === 0
            ? {}
            : { actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })) }),
        },
      },
    ],
  };
}

/**
 * Renders a fact. Only a `TextBlock` shows a time in the time zone of the reader. It contains nothing but the time and
 * our label, so that no name can contain Markdown.
 */
function factOf(label: string, value: FactValue): object {
  if (typeof value === 'string') {
    return block([{ ...run(`${label}: `), weight: 'Bolder' }, run(value)], 'Small');
  }
  const time = `${value.toISOString().slice(0, 19)}Z`;
  return {
    type: 'TextBlock',
    spacing: 'Small',
    wrap: true,
    text: `**${label}:** {{DATE(${time}, SHORT)}} {{TIME(${time})}}`,
  };
}

function block(inlines: readonly object[], spacing = 'Default') {
  return { type: 'RichTextBlock', spacing, inlines };
}

/**
 * Returns a run of plain text. Puts a space between the characters of `{{`, because Teams would read `{{` as the
 * beginning of a date function.
 */
function run(text: string) {
  return { type: 'TextRun', text: text.replace(/\{(?=\{)/g, '{ ') };
}
