import { type Log, origin, type RequestOrigin } from '@svc/auth-core';
import { SITE_PREFIX } from '@svc/contract';
import type { Config } from '@svc/settings';
import type { IssuedResetLink, ResetPassword, ResetRequest } from '../passwords/reset-password.ts';
import type { Outbox } from './outbox.ts';
import { resetMail } from './reset-mail.ts';

/**
 * Time during which reset requests are collected to be handled together (ms). Each request has already got its
 * response.
 */
const GATHERED_MS = 250;
const MOST_WAITING = 1000;

interface Tools {
  readonly config: Pick<
    Config,
    'publicUrl' | 'resetLinkTtlMs' | 'passwordResetLogFallback' | 'passwordSignIn'
  >;
  readonly resets: ResetPassword;
  /** Outbox that sends the mails, or null if no mail server is configured. */
  readonly outbox: Outbox | null;
  readonly log: Log;
}

/**
 * Delivers password reset links: by mail if a mail server is configured, otherwise in the log if the configuration
 * allows that. If neither is possible, users must ask an administrator for a link (specification 5.10).
 */
export class ResetDelivery {
  readonly #tools: Tools;
  #waiting: ResetRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
    warnOfSettings(tools);
  }

  /**
   * Whether reset links are sent by mail. This requires both a mail server and the public address for the links
   * (specification 5.10.1).
   */
  get mails(): boolean {
    return this.#tools.outbox !== null && this.#tools.config.publicUrl !== null;
  }

  /**
   * Queues a request of the Forgot password form. The response does not depend on the e-mail address. The look-up and
   * the writes follow later, for many requests together. If they ran now, the time of this response, or of the next one
   * on the connection, would reveal whether the account exists.
   */
  request(email: unknown, from: RequestOrigin): void {
    if (typeof email !== 'string' || this.#waiting.length >= MOST_WAITING) return;
    this.#waiting.push({ email: email.trim().slice(0, 320), from: origin(from) });
    this.#timer ??= setTimeout(() => this.#answerAll(), GATHERED_MS).unref();
  }

  /**
   * Mails a reset link that an administrator created. If the link cannot be mailed, returns it, so that the
   * administrator can pass it on.
   */
  handOver(issued: IssuedResetLink): { emailed: true } | { emailed: false; link: string } {
    if (!this.mails || !this.#mayBeMailed(issued))
      return { emailed: false, link: this.#linkTo(issued.token) };
    this.#mail(issued);
    return { emailed: true };
  }

  /**
   * Returns whether a link can be mailed to the account. With `SVC_PASSWORD_SIGN_IN=break-glass`, only Super admins get
   * mail, because only they can sign in with a password.
   */
  #mayBeMailed({ account }: IssuedResetLink): boolean {
    return this.#tools.config.passwordSignIn === 'on' || account.role === 'Super admin';
  }

  async close(): Promise<void> {
    this.#answerAll();
    await this.#tools.outbox?.close();
  }

  #answerAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const requests = this.#waiting;
    this.#waiting = [];
    if (requests.length === 0) return;
    const { resets, log } = this.#tools;
    try {
      // Create a link only if it can be delivered, by mail or in the log.
      const issued = resets.answerRequests(requests, { makeLinks: this.mails || this.#logs });
      for (const link of issued) this.#deliver(link);
    } catch (error) {
      log.error('Password reset requests could not be answered', { cause: String(error) });
    }
  }

  get #logs(): boolean {
    const { passwordResetLogFallback, publicUrl } = this.#tools.config;
    return passwordResetLogFallback && publicUrl !== null && this.#tools.outbox === null;
  }

  #deliver(issued: IssuedResetLink): void {
    if (this.mails) this.#mail(issued);
    else
      this.#tools.log.warn(`Password reset link for ${issued.account.email}: ${this.#linkTo(issued.token)}`);
  }

  #mail({ account, token }: IssuedResetLink): void {
    const { outbox, config } = this.#tools;
    outbox?.post(resetMail(account.email, this.#linkTo(token), config.resetLinkTtlMs), account.id);
  }

  /**
   * Returns the reset link. Its origin is `SVC_PUBLIC_URL` and never the `Host` of a request, because the client
   * chooses that header (specification 5.10.3). Without the setting, the link is only a path, and the dashboard adds
   * the origin that the browser shows.
   */
  #linkTo(token: string): string {
    return `${this.#tools.config.publicUrl ?? ''}${SITE_PREFIX}/reset-password#${token}`;
  }
}

function warnOfSettings({ config, outbox, log }: Tools): void {
  if (outbox !== null && config.publicUrl === null) {
    log.warn('SVC_SMTP_URL is set without a usable SVC_PUBLIC_URL: no password reset mail is sent');
  }
  if (!config.passwordResetLogFallback) return;
  if (config.publicUrl === null)
    log.warn('SVC_PASSWORD_RESET_LOG_FALLBACK has no effect without SVC_PUBLIC_URL');
  else if (outbox !== null) log.warn('SVC_PASSWORD_RESET_LOG_FALLBACK has no effect with SVC_SMTP_URL');
  else {
    log.warn(
      'SVC_PASSWORD_RESET_LOG_FALLBACK is on: password reset links are written to this log, and anyone who reads it can ' +
        'set a new password',
    );
  }
}
