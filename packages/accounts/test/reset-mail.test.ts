import { describe, expect, it } from 'vitest';
import { inWords } from '../src/mail/mail-text.ts';
import { resetMail } from '../src/mail/reset-mail.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('the lifetime a reset mail states', () => {
  it.each([
    [HOUR, '1 hour'],
    [15 * MINUTE, '15 minutes'],
    [HOUR + 30 * MINUTE, '1 hour 30 minutes'],
    [DAY, '1 day'],
    [2 * DAY + 3 * HOUR, '2 days 3 hours'],
    [DAY + 5 * MINUTE, '1 day'],
    [MINUTE + 1, '1 minute'],
    [90 * SECOND, '1 minute 30 seconds'],
    [1500, '1 second'],
  ])('%i ms is %j: never more than the link lives (spec 5.10.4)', (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });

  it('the lifetime a reset mail states is in the plain text and in the HTML, with the link in both (spec 5.10.4)', () => {
    const link = 'https://lab.test/svc/reset-password#abc';
    const { text, html } = resetMail('a@lab.test', link, HOUR);
    for (const part of [text, html]) {
      expect(part).toContain('1 hour');
      expect(part).toContain(link);
    }
  });
});
