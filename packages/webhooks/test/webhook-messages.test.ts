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
const body = (event: string, payload: object) => JSON.stringify({ event, payload });
const sent = (format: 'slack' | 'teams', event: string, payload: object) =>
  JSON.parse(bodyFor(format, body(event, payload)));

describe('bodies of webhooks', () => {
  it('(contract 2) svc sends event and payload as they are', () => {
    expect(bodyFor('svc', body('session_failed', FAILED))).toBe(body('session_failed', FAILED));
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
            field('Started', '2026-01-31T08:30:00.000Z'),
            field('Ended', '2026-01-31T08:31:00.000Z'),
            field('Session', 's1'),
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

  it('names cannot mention anybody, contain links or reorder text', () => {
    const hostile =
      '<!channel> & <https://evil.test|safe> [a](https://evil.test)\n{{DATE(2026-01-01T00:00:00Z)}} \u202eabc';
    const slack = sent('slack', 'device_new', { udid: 'p1', name: hostile });
    const clean =
      '&lt;!channel&gt; &amp; &lt;https://evil.test|safe&gt; [a](https://evil.test) {{DATE(2026-01-01T00:00:00Z)}} abc';
    expect(slack.text).toBe(`New phone ${clean}`);
    expect(JSON.stringify(slack)).not.toMatch(/<|>|\u202e/);
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
    expect(bodyFor('slack', body('session_failed', payload)).length).toBeLessThan(28_000);
    expect(bodyFor('teams', body('session_failed', payload)).length).toBeLessThan(28_000);
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
