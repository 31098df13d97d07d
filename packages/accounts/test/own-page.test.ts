import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ownPage } from '../src/sign-in/own-page.ts';

describe('the page to which a sign-in returns', () => {
  test.for([
    '/svc/',
    '/svc/devices',
    '/svc/sessions?status=failed&q=a%20b',
    '/svc/profile#tokens',
    '/svc/api-keys',
  ])('the page to which a sign-in returns may be %s (contract 10.1)', (page) =>
    expect(ownPage(page)).toBe(page),
  );

  test.for<unknown>([
    undefined,
    ['/svc/devices'],
    '',
    '/',
    '/svc',
    '/svc//evil.test',
    '//svc/devices',
    '/svc/..',
    '/svc/%2e%2e/x',
    '/svc/a/b',
    '/svc/\\evil.test',
    '/svc/devices\n',
    '/svc/devices?a=<b>',
    '/svc/devices?a="b"',
    '/svc/api',
    '/svc/api/auth/oidc/start',
    '/svc/oauth/token',
    '/svc/sign-in?next=/svc/devices',
    'https://lab.test/svc/devices',
    `/svc/devices?${'a'.repeat(2000)}`,
  ])('the page to which a sign-in returns is never %j (contract 10.1)', (address) =>
    expect(ownPage(address)).toBeNull(),
  );

  it('the page to which a sign-in returns stays on this server, however the address is spelt (contract 10.1)', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      'svc',
      '..',
      '%2f',
      '%5c',
      '@',
      'evil.test',
      ':',
      '?',
      '#',
      '\t',
      ' ',
      'x',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const page = ownPage(`/svc/${parts.join('')}`);
        if (page === null) return;
        const url = new URL(page, 'https://lab.test');
        expect([url.host, url.pathname.split('/').length]).toEqual(['lab.test', 3]);
      }),
    );
  });
});
