import { every, type Schedule } from '@svc/module';
import type { Outbox } from '../mail/outbox.ts';
import type { AccountTools } from '../ports/tools.ts';
import { expiringMail } from './token-mail.ts';
import type { ExpiringToken } from './token-notices.ts';

const EVERY_MS = 1000;
/** Maximum number of tokens per run, so that a run delays other requests only briefly. */
const MOST_TOKENS = 20;
/**
 * A run starts only if at most this many mails are unsent, so that mails about tokens do not delay password reset
 * mails.
 */
const MOST_MAILS = 10;

interface Tools extends Pick<AccountTools, 'clock' | 'log'> {
  /** Returns at most `most` tokens for which an expiry notice is due (see `takeNotices`). */
  readonly take: (most: number) => ExpiringToken[];
  /** Outbox that sends the mails, or null if no mail server is configured. */
  readonly outbox: Pick<Outbox, 'post' | 'underway'> | null;
  readonly publicUrl: string | null;
  /** Reports a token to its owner and to Admins as a live event. */
  readonly report: (expiring: ExpiringToken) => void;
}

/**
 * Notifies owners by mail, and owners and Admins by a live event, that keys and tokens end soon (contract 10.6). An
 * owner gets one mail for all tokens of a run. If the mail server accepts no mail, the remaining notices wait for a
 * later run.
 */
export function sendingTokenNotices(tools: Tools): Schedule {
  const { take, outbox, report, log } = tools;
  const run = () => {
    if (outbox !== null && outbox.underway > MOST_MAILS) return;
    try {
      const expiring = take(MOST_TOKENS);
      for (const each of expiring) report(each);
      postMails(expiring, tools);
    } catch (error) {
      log.warn('Owners of expiring tokens could not be notified; a later run tries again', {
        cause: String(error),
      });
    }
  };
  return every(EVERY_MS, run);
}

function postMails(expiring: readonly ExpiringToken[], { outbox, publicUrl, clock }: Tools): void {
  const owners = new Set(expiring.map(({ owner }) => owner.id));
  for (const id of owners) {
    const own = expiring.filter(({ owner }) => owner.id === id);
    outbox?.post(expiringMail(own, clock.now(), publicUrl), id, 'mail about expiring tokens');
  }
}
