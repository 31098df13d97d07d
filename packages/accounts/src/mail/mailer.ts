import type { Outbound } from '@svc/outbound';
import type { MailConfig } from '@svc/settings';
import type { Transporter } from 'nodemailer';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mail through a mail server. `send` rejects if the mail server does not accept the mail. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Maximum time without data from the mail server, after which sending fails (ms). */
const PATIENCE_MS = 15_000;

/**
 * Creates a mailer that sends mail by SMTP to `SVC_SMTP_URL`. `smtps://` uses TLS from the start; `smtp://` uses
 * STARTTLS if the server offers it (`?requireTLS=true` requires it). TLS certificates are checked.
 */
export function smtpMailer(
  { smtpUrl, from }: MailConfig & { readonly smtpUrl: string },
  outbound: Outbound,
): Mailer {
  const proxy = outbound.proxyFor(new URL(smtpUrl).hostname);
  let opened: Promise<Transporter> | undefined;
  // Load the mail library only for the first mail, because most svc servers send no mail for days.
  const transport = (): Promise<Transporter> => {
    opened ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: smtpUrl,
        ...(proxy === null ? {} : { proxy: proxy.url }),
        connectionTimeout: PATIENCE_MS,
        greetingTimeout: PATIENCE_MS,
        socketTimeout: PATIENCE_MS,
        dnsTimeout: PATIENCE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      }),
    );
    return opened;
  };
  return {
    send: async ({ to, subject, text, html }) => {
      await (await transport()).sendMail({
        from,
        // Pass the address as an object. nodemailer parses a string as a list, so a comma in the local part could add
        // recipients.
        to: { name: '', address: to },
        subject,
        alternatives: [textPart(text), { contentType: 'text/html; charset=utf-8', content: html }],
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close: () => void opened?.then((transporter) => transporter.close()).catch(() => undefined),
  };
}

/**
 * Returns the plain-text part of a mail. ASCII text is passed to nodemailer as a finished MIME part. Otherwise
 * nodemailer would re-encode it, which could split the long line that contains the link.
 */
function textPart(text: string) {
  if (!/^[\n -~]*$/.test(text)) return { contentType: 'text/plain; charset=utf-8', content: text };
  const head = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n';
  return { raw: head + text.replaceAll('\n', '\r\n') };
}
