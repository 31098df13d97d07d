import type { Audit, Log } from '@svc/auth-core';
import type { Mail, Mailer } from './mailer.ts';

/** Mails in flight at once: a mail server that hangs must not fill the memory with them. */
const MOST = 50;
/** How long mails in flight may take at shutdown. */
const LAST_MOMENT_MS = 2000;

/** Sends after the response: no request waits for mail, and a failure is logged and audited. */
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

  /** `accountId` names the receiver in the audit row. */
  post(mail: Mail, accountId: string): void {
    if (this.#underway.size >= MOST) {
      this.#failed(accountId, 'too many mails on their way');
      return;
    }
    const sending = this.#mailer
      .send(mail)
      .catch((error: unknown) => this.#failed(accountId, reasonOf(error)))
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

  #failed(accountId: string, reason: string): void {
    this.#log.error(`A password reset mail could not be sent: ${reason}`, { account: accountId });
    this.#audit.recordBestEffort('sys_mail_fail', { outcome: 'failure', target: accountId, reason });
  }
}

/** Codes only: a server's text could repeat what was sent to it, the link included. */
function reasonOf(error: unknown): string {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return [code ?? 'failed', command, responseCode].filter((part) => part !== undefined).join(' ');
}
