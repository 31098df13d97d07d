import type { Outbound } from '@svc/outbound';
import type { MailConfig } from '@svc/settings';
import type { Transporter } from 'nodemailer';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mail to a server; rejects if the server did not accept it. Never called on the path of a request. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Time without a byte after which a mail server is given up. */
const PATIENCE_MS = 15_000;

/**
 * Sends mail by SMTP to `SVC_SMTP_URL`: `smtps://` uses TLS from the start, `smtp://` uses STARTTLS if the server
 * offers it (`?requireTLS=true` requires it). Certificates are checked.
 */
export function smtpMailer(
  { smtpUrl, from }: MailConfig & { readonly smtpUrl: string },
  outbound: Outbound,
): Mailer {
  const proxy = outbound.proxyFor(new URL(smtpUrl).hostname);
  let opened: Promise<Transporter> | undefined;
  // Opened for the first mail, because most servers send none for days.
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
        // As an object it is always one address, regardless of the characters in its local part.
        to: { name: '', address: to },
        subject,
        alternatives: [{ raw: plainPart(text) }, { contentType: 'text/html; charset=utf-8', content: html }],
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close: () => void opened?.then((transporter) => transporter.close()).catch(() => undefined),
  };
}

/** Sent as plain ASCII, because the library's encoding would break the line with the link in the source of the mail. */
function plainPart(text: string): string {
  const head = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n';
  return head + text.replaceAll('\n', '\r\n');
}
