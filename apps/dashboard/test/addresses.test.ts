import { describe, expect, it } from 'vitest';
import { pageToReturnTo } from '../src/api/addresses.ts';

const SITE = 'https://lab.test/tools/svc/';

describe('where the sign-in page leads back to', () => {
  it.each(['devices', 'sessions?id=4', 'https://lab.test/tools/svc/audit?x#y', '/tools/svc/users'])(
    '%s is a page of the dashboard',
    (asked) => {
      expect(pageToReturnTo(asked, SITE)).toBe(new URL(asked, SITE).href);
    },
  );

  it.each([
    null,
    '',
    'sign-in',
    'api/auth/me',
    'devices/../api/auth/logout',
    '../svc/',
    '//evil.test/tools/svc/devices',
    'https://evil.test/tools/svc/devices',
    'https://lab.test.evil.test/tools/svc/devices',
    'https://lab.test@evil.test/tools/svc/devices',
    'http://lab.test/tools/svc/devices',
    'javascript:alert(1)',
    'data:text/html,x',
    '/devices',
    '/svc/devices',
    '\\\\evil.test\\tools\\svc\\devices',
    'https://[',
  ])('%s leads nowhere', (asked) => {
    expect(pageToReturnTo(asked, SITE)).toBeNull();
  });
});
