import { describe, expect, it } from 'vitest';
import { signIn } from '../support/lab.ts';
import { bodyOf } from './support/json.ts';
import { EMAIL, forgotPassword, startWithMail } from './support/mail.ts';
import { startHangingServer, startMailServer } from './support/smtp.ts';

describe('mail with a real server', () => {
  it('mail with a real server arrives as plain text and HTML, with the link on one line (spec 5.10.3, 5.10.4)', async () => {
    const smtp = await startMailServer({ disabledCommands: ['STARTTLS'] });
    const server = await startWithMail(`smtp://127.0.0.1:${smtp.port}`, {
      SVC_MAIL_FROM: 'Lab <lab@example.com>',
    });
    expect((await forgotPassword(server)).status).toBe(204);
    const { to, source } = await smtp.next();
    expect(to).toEqual([EMAIL]);
    expect(source).toContain('From: Lab <lab@example.com>');
    expect(source).toContain('Content-Type: text/plain');
    expect(source).toContain('Content-Type: text/html');
    const link = /^https:\/\/lab\.example\.com\/svc\/reset-password#([\w-]{43})\r?$/m.exec(source);
    expect(source).toContain('for 1 hour.');
    const json = { token: link?.[1], newPassword: 'a password of tests' };
    const answer = await server.api('/auth/reset-password', { method: 'POST', json });
    expect(answer.status).toBe(204);
    await signIn(server.url, EMAIL, 'a password of tests');
    expect(server.output()).not.toContain(link?.[1]);
    await server.stop();
  });

  it('a server that hangs holds up no request, and not the end of the process', async () => {
    const smtp = await startHangingServer();
    const server = await startWithMail(`smtp://127.0.0.1:${smtp.port}`);
    expect((await forgotPassword(server)).status).toBe(204);
    await smtp.connected();
    expect((await server.api('/health')).status).toBe(200);
    const headers = { cookie: await signIn(server.url) };
    const user = { email: 'other@lab.test', name: 'Other', role: 'Member' };
    const made = await bodyOf(server.api('/users', { method: 'POST', headers, json: user }));
    const link = await server.api(`/users/${made.id}/reset-link`, { method: 'POST', headers });
    expect(await link.json()).toMatchObject({ emailed: true });
    await smtp.connected();
    const { code, tookMs } = await server.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5000);
  });
});
