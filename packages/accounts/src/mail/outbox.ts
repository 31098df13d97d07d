import type { Audit, Log } from '@svc/auth-core';
import type { Mail, Mailer } from './mailer.ts';

/** Maximum number of mails that are being sent. While the mail server does not respond, they stay in memory. */
const MOST = 50;
/** Maximum time (ms) that a stopping server waits for the mails that are being sent. */
const LAST_MOMENT_MS = 2000;

/** Sends mail in the background, so that no request of a client waits for it. Failures are logged and audited. */
export class Outbox {
  readonly #mailer: Mailer;
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #underway = new Set<Promise<void>>();

  constructor(mailer: Mailer, audit: Audit, log: Log) {
    this.#mailer = mailer;
    this.#audit = audit;
    this.#log = log;
  }

  /** Number of mails that the mail server has not accepted yet. */
  get underway(): number {
    return this.#underway.size;
  }

  /**
   * Starts to send a mail to the account `accountId`. If sending fails, the log line and the audit row name this
   * account.
   * @param what kind of mail, as the log line names it
   */
  post(mail: Mail, accountId: string, what = 'password reset mail'): void {
    if (this.#underway.size >= MOST) {
      this.#failed(accountId, what, 'too many mails on their way');
      return;
    }
    const sending = this.#mailer
      .send(mail)
      .catch((error: unknown) => this.#failed(accountId, what, reasonOf(error)))
      .finally(() => this.#underway.delete(sending));
    this.#underway.add(sending);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const lastMoment = new Promise<void>((done) => {
      timer = setTimeout(done, LAST_MOMENT_MS);
    });
    await Promise.race([Promise.all(this.#underway), lastMoment]);
    clearTimeout(timer);
    this.#mailer.close();
  }

  #failed(accountId: string, what: string, reason: string): void {
    this.#log.error(`A ${what} could not be sent: ${reason}`, { account: accountId });
    this.#audit.recordBestEffort('sys_mail_fail', { outcome: 'failure', target: accountId, reason });
  }
}

/**
 * @returns the error codes of a failure, for the log. The message of the mail server is left out, because it could
 * quote the mail, which contains the reset link.
 */
function reasonOf(error: unknown): string {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return [code ?? 'failed', command, responseCode].filter((part) => part !== undefined).join(' ');
}
