import { SITE_PREFIX } from '@svc/contract';
import { escaped, inWords, mailPage } from '../mail/mail-text.ts';
import type { Mail } from '../mail/mailer.ts';
import type { ExpiringToken } from './token-notices.ts';

const MINUTE_MS = 60_000;

/**
 * Returns the mail that tells an owner which of their keys and tokens expire soon (contract 10.6). The mail lists only
 * their names, because the server does not store their values.
 * @param publicUrl address of the dashboard, or null if none is configured
 */
export function expiringMail(
  expiring: readonly ExpiringToken[],
  now: number,
  publicUrl: string | null,
): Mail {
  const [first] = expiring;
  if (first === undefined) throw new RangeError('a mail about no token');
  const lines = expiring.map((each) => describe(each, now));
  const subject =
    expiring.length === 1
      ? `${subjectOf(first)} ends in ${left(first, now)}`
      : `${expiring.length} tokens of yours end soon`;
  const intro = 'These keys and tokens of your account in the device lab end soon:';
  const advice =
    'Requests with them are refused afterwards. Make new ones and replace them where they are used.';
  const pages = publicUrl === null ? [] : pagesOf(expiring).map((page) => publicUrl + page);
  const links = pages.map((url) => `<br><a href="${escaped(url)}">${escaped(url)}</a>`);
  return {
    to: first.owner.email,
    subject,
    text: `${[intro, '', ...lines.map((line) => `- ${line}`), '', advice, ...pages].join('\n')}\n`,
    html: mailPage(
      escaped(subject),
      `<p>${intro}</p><ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>` +
        `<p>${advice}${links.join('')}</p>`,
    ),
  };
}

const KIND_NAMES = { profile: 'Token', 'api-key': 'API key', scim: 'SCIM key' } as const;

function subjectOf({ token: { kind, name } }: ExpiringToken): string {
  return `${KIND_NAMES[kind]} "${name}"`;
}

function describe(expiring: ExpiringToken, now: number): string {
  const at = `${new Date(expiring.token.expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${subjectOf(expiring)} ends in ${left(expiring, now)}, at ${at}`;
}

/**
 * Returns the time until the token expires, in words. Rounds up to whole minutes, so that a mail that is sent a few
 * seconds late says `7 days` and not `6 days 23 hours`.
 */
function left({ token: { expiresAt } }: ExpiringToken, now: number): string {
  return inWords(Math.ceil((expiresAt - now) / MINUTE_MS) * MINUTE_MS);
}

function pagesOf(expiring: readonly ExpiringToken[]): string[] {
  const pages = expiring.map(({ token }) => (token.kind === 'profile' ? '/profile' : '/api-keys'));
  return [...new Set(pages)].map((page) => SITE_PREFIX + page);
}
