import { escaped, inWords, mailPage } from './mail-text.ts';
import type { Mail } from './mailer.ts';

/**
 * Returns the mail with a reset link, as plain text and HTML. The text contains the real lifetime of the link
 * (specification 5.10.4).
 */
export function resetMail(to: string, link: string, lifetimeMs: number): Mail {
  const lifetime = inWords(lifetimeMs);
  const asked = 'Somebody asked for a new password for your account in the device lab.';
  const action = 'Set it here:';
  const terms = `The link works once and for ${lifetime}.`;
  const ignore = 'If it was not you, ignore this mail: your password stays as it is.';
  return {
    to,
    subject: 'Set a new password',
    text: `${asked}\n\n${action}\n${link}\n\n${terms}\n${ignore}\n`,
    html: mailPage(
      'Set a new password',
      `<p>${asked}</p><p style="margin:24px 0"><a href="${escaped(link)}" style="${BUTTON}">Set a new password</a></p>` +
        `<p>${terms} ${ignore}</p><p style="color:#57606a;font-size:13px">Or open this address:<br>` +
        `<a href="${escaped(link)}" style="word-break:break-all">${escaped(link)}</a></p>`,
    ),
  };
}

const BUTTON =
  'background:#1f5fd0;border-radius:6px;color:#ffffff;display:inline-block;font-weight:600;padding:12px 20px;text-decoration:none';
