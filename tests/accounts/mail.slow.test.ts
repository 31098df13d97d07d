import { describe, expect, it } from 'vitest';
import { type RunningServer, request, signIn } from '../support/lab.ts';
import { bodyOf } from './support/json.ts';
import { forgotPassword, startWithMail } from './support/mail.ts';
import { startMailServer } from './support/smtp.ts';

/** Polls the audit trail for the row, which is written within a second of the event. */
async function auditRow(server: RunningServer, event: string) {
  const headers = { cookie: await signIn(server.url) };
  for (;;) {
    const { items } = await bodyOf(server.api('/audit?limit=500', { headers }));
    const row = items.find((item: { event: string }) => item.event === event);
    if (row !== undefined) return row;
  }
}

describe('mail with a real server', () => {
  it.each([
    ['TLS from the start', 'smtps', { secure: true }],
    ['STARTTLS', 'smtp', { secure: false }],
  ])('mail with a real server speaks %s', async (_name, scheme, options) => {
    const smtp = await startMailServer(options);
    const server = await startWithMail(`${scheme}://127.0.0.1:${smtp.port}/?tls.rejectUnauthorized=false`);
    await forgotPassword(server);
    expect((await smtp.next()).secure).toBe(true);
    await server.stop();
  });

  it('mail with a real server does not trust a certificate nobody signed; that is logged and audited', async () => {
    const smtp = await startMailServer({ secure: true });
    const server = await startWithMail(`smtps://127.0.0.1:${smtp.port}`);
    expect((await forgotPassword(server)).status).toBe(204);
    await server.line(/A password reset mail could not be sent/);
    expect(await auditRow(server, 'sys_mail_fail')).toMatchObject({ outcome: 'failure' });
    expect(smtp.count()).toBe(0);
    await server.stop();
  });

  it('a server that refuses is logged and audited, and no link is written anywhere', async () => {
    const smtp = await startMailServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')),
    });
    const server = await startWithMail(`smtp://127.0.0.1:${smtp.port}`);
    expect((await forgotPassword(server)).status).toBe(204);
    await server.line(/A password reset mail could not be sent: EENVELOPE/);
    expect((await auditRow(server, 'sys_mail_fail')).reason).toMatch(/^EENVELOPE/);
    expect(server.output()).not.toContain('#');
    await server.stop();
  });

  it('nobody there is logged, with the password of the mail account nowhere', async () => {
    const server = await startWithMail('smtp://user:geheim-geheim@127.0.0.1:1');
    expect((await forgotPassword(server)).status).toBe(204);
    await server.line(/A password reset mail could not be sent: ESOCKET|ECONN/);
    expect(server.output()).not.toContain('geheim');
    await server.stop();
  });

  it('the address can come from SVC_SMTP_URL_FILE, and an unusable one warns (contract 5)', async () => {
    const server = await startWithMail('not an address');
    expect(server.output()).toMatch(/SVC_SMTP_URL/);
    expect(server.output()).not.toContain('not an address');
    const options = await request(`${server.url}/svc/api/auth/options`);
    expect((await bodyOf(options)).passwordReset).toBe('admin');
    await server.stop();
  });
});
