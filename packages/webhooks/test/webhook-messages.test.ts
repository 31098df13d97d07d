import { describe, expect, it } from 'vitest';
import { bodyFor, summaryOf } from '../src/messages/body-for.ts';
import { plainText } from '../src/messages/plain-text.ts';

const FAILED = {
  sessionId: 's1',
  sessionName: 'checkout',
  failureReason: 'total is wrong',
  udid: 'pixel-8',
  deviceName: 'Pixel 8',
  platform: 'Android',
  osVersion: '15',
  startTime: '2026-01-31T08:30:00.000Z',
  endTime: '2026-01-31T08:31:00.000Z',
};
const CONTEXT = {
  publicUrl: 'https://lab.example',
  sessionOwner: (id: string) => (id === 's1' ? 'ana@lab.test' : null),
};
const body = (event: string, payload: object) => JSON.stringify({ event, payload });
const sent = (format: 'slack' | 'teams', event: string, payload: object) =>
  JSON.parse(bodyFor(format, body(event, payload), CONTEXT));

describe('bodies of webhooks', () => {
  it('svc sends event and payload as they are (contract 2)', () => {
    expect(bodyFor('svc', body('session_failed', FAILED), CONTEXT)).toBe(body('session_failed', FAILED));
  });

  // The structure is the one that Slack documents for incoming webhooks with Block Kit: `text` for notifications, and
  // `blocks` with sections whose text objects have `type`, `text` and `verbatim`.
  it('slack gets a message with text and sections', () => {
    const field = (label: string, value: string) => ({
      type: 'mrkdwn',
      text: `*${label}*\n${value}`,
      verbatim: true,
    });
    expect(sent('slack', 'session_failed', FAILED)).toEqual({
      text: 'Session checkout failed',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: '*Session checkout failed*', verbatim: true } },
        {
          type: 'section',
          fields: [
            field('Reason', 'total is wrong'),
            field('Phone', 'Pixel 8'),
            field('System', 'Android 15'),
            field('Owner', 'ana@lab.test'),
            field('Started', '<!date^1769848200^{date_short_pretty} {time}|2026-01-31T08:30:00.000Z>'),
            field('Duration', '1 min 0 s'),
            field('Session', 's1'),
          ],
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: '<https://lab.example/svc/sessions?id=s1|Open the session> · <https://lab.example/svc/devices?udid=pixel-8|Open the phone>',
              verbatim: true,
            },
          ],
        },
      ],
    });
  });

  // The structure is the one that Microsoft documents for workflows of Teams: `type` is `message`, and each attachment
  // has a content type, a null `contentUrl`, and the card as `content`. Version 1.4 has RichTextBlock and TextRun.
  it('teams gets a message with one Adaptive Card', () => {
    const run = (text: string, more = {}) => ({ type: 'TextRun', text, ...more });
    expect(
      sent('teams', 'token_expiring', { name: 'ci', kind: 'api-key', days: 1, owner: { email: 'a@b.c' } }),
    ).toEqual({
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
              {
                type: 'RichTextBlock',
                spacing: 'Default',
                inlines: [run('API key ci ends within 1 day', { size: 'Medium', weight: 'Bolder' })],
              },
              {
                type: 'RichTextBlock',
                spacing: 'Small',
                inlines: [run('Owner: ', { weight: 'Bolder' }), run('a@b.c')],
              },
            ],
          },
        },
      ],
    });
  });

  it('teams shows times in the time zone of the reader and opens the session and the phone', () => {
    const card = sent('teams', 'session_failed', FAILED).attachments[0].content;
    expect(card.body).toContainEqual({
      type: 'TextBlock',
      spacing: 'Small',
      wrap: true,
      text: '**Started:** {{DATE(2026-01-31T08:30:00Z, SHORT)}} {{TIME(2026-01-31T08:30:00Z)}}',
    });
    expect(card.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the session', url: 'https://lab.example/svc/sessions?id=s1' },
      {
        type: 'Action.OpenUrl',
        title: 'Open the phone',
        url: 'https://lab.example/svc/devices?udid=pixel-8',
      },
    ]);
  });

  it('messages have no links if the lab has no public address, and ids cannot leave the address', () => {
    const without = { ...CONTEXT, publicUrl: null };
    expect(bodyFor('slack', body('session_failed', FAILED), without)).not.toContain('Open the');
    const hostile = { ...FAILED, sessionId: 's|1>&x=<!channel>', udid: '../#"' };
    const [, , context] = sent('slack', 'session_failed', hostile).blocks;
    expect(context.elements[0].text).toBe(
      '<https://lab.example/svc/sessions?id=s%7C1%3E%26x%3D%3C%21channel%3E|Open the session> · <https://lab.example/svc/devices?udid=..%2F%23%22|Open the phone>',
    );
    const text = { ...FAILED, startTime: '<!channel>', endTime: 'x' };
    expect(JSON.stringify(sent('slack', 'session_failed', text).blocks[1])).not.toMatch(/[<>]/);
  });

  it('names cannot mention anybody, contain links or reorder text', () => {
    const hostile =
      '<!channel> & <https://evil.test|safe> [a](https://evil.test)\n{{DATE(2026-01-01T00:00:00Z)}} \u202eabc';
    const slack = sent('slack', 'device_new', { udid: 'p1', name: hostile });
    const clean =
      '&lt;!channel&gt; &amp; &lt;https://evil.test|safe&gt; [a](https://evil.test) {{DATE(2026-01-01T00:00:00Z)}} abc';
    expect(slack.text).toBe(`New phone ${clean}`);
    expect(JSON.stringify(slack.blocks.slice(0, 2))).not.toMatch(/<|>|\u202e/);
    const teams = JSON.stringify(sent('teams', 'device_new', { udid: 'p1', name: hostile }));
    expect(teams).not.toMatch(/TextBlock"(?<!RichTextBlock")/);
    expect(teams).not.toMatch(/\{\{|\u202e|\\n/);
  });

  it('long texts are cut, and a message stays within the limits of both services', () => {
    const long = '&'.repeat(30_000);
    const payload = Object.fromEntries(Object.keys(FAILED).map((name) => [name, long]));
    const slack = sent('slack', 'session_failed', payload);
    for (const { text } of slack.blocks[1].fields) expect(text.length).toBeLessThan(4_000);
    expect(slack.blocks[0].text.text.length).toBeLessThan(3_000);
    expect(bodyFor('slack', body('session_failed', payload), CONTEXT).length).toBeLessThan(28_000);
    expect(bodyFor('teams', body('session_failed', payload), CONTEXT).length).toBeLessThan(28_000);
    expect(plainText(`${'x'.repeat(8)}😀y`, 10)).toBe('xxxxxxxx…');
  });

  it.each([
    ['session_passed', FAILED, 'Session checkout passed'],
    ['session_failed', { ...FAILED, sessionName: null }, 'Session s1 failed'],
    ['device_new', { udid: 'p1', name: 'Pixel 8' }, 'New phone Pixel 8'],
    ['device_offline', { udid: 'p1', name: '' }, 'Phone p1 went away'],
    ['device_online', { udid: 'p1', name: 'Pixel 8', tags: ['smoke'] }, 'Phone Pixel 8 is back'],
    ['node_offline', { name: 'node-1:4723', devices: 0 }, 'Node node-1:4723 went away'],
    ['lease_ended', { udid: 'p1', reason: 'it expired', owner: null }, 'A lease of p1 ended'],
    ['token_expiring', { name: 'laptop', kind: 'profile', days: 7 }, 'Token laptop ends within 7 days'],
    ['token_expiring', { name: 'Entra ID', kind: 'scim', days: 1 }, 'SCIM key Entra ID ends within 1 day'],
    [
      'queue_long',
      { waitedSeconds: 301, wants: { tags: ['x'] } },
      'A request has waited 5 minutes for a phone',
    ],
    ['device_unhealthy', { udid: 'p1', name: 'Pixel 8', reason: 'x' }, 'Phone Pixel 8 is out of service'],
    ['device_healthy', { udid: 'p1', name: '' }, 'Phone p1 is in service again'],
    ['test', { message: 'A test of this webhook' }, 'A test of this webhook'],
    ['of_a_later_version', { a: 1 }, 'of_a_later_version'],
    ['session_failed', {}, 'Session failed'],
  ])('%s is worded', (event, payload, title) => {
    expect(summaryOf(body(event, payload))).toBe(title);
    expect(sent('slack', event, payload).text).toBe(title);
    expect(sent('teams', event, payload).attachments).toHaveLength(1);
  });
});
