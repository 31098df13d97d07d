import type { Mail } from './mailer.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in words, rounded down to its two largest units, such as `1 hour 30 minutes`. */
export function inWords(ms: number): string {
  let rest = Math.max(1, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}

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
    html: page(
      `<p>${asked}</p><p style="margin:24px 0"><a href="${escaped(link)}" style="${BUTTON}">Set a new password</a></p>` +
        `<p>${terms} ${ignore}</p><p style="color:#57606a;font-size:13px">Or open this address:<br>` +
        `<a href="${escaped(link)}" style="word-break:break-all">${escaped(link)}</a></p>`,
    ),
  };
}

const BUTTON =
  'background:#1f5fd0;border-radius:6px;color:#ffffff;display:inline-block;font-weight:600;padding:12px 20px;text-decoration:none';

function page(content: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Set a new password</title></head>' +
    '<body style="color:#1f2328;font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:34em;padding:24px">' +
    `${content}</body></html>`
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
