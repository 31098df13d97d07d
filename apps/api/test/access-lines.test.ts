import { expect, it } from 'vitest';
import { pathOf } from '../src/plugins/access-lines.ts';

it.each([
  ['/svc/api/auth/device/WDJB-MJHT', '/svc/api/auth/device/...'],
  ['/svc/api/AUTH/Device/WDJB-MJHT/?x=1', '/svc/api/AUTH/Device/.../'],
  ['/svc/device?user_code=WDJB-MJHT', '/svc/device'],
  ['/svc/api/devices', '/svc/api/devices'],
])('the log of requests contains no code of a waiting terminal: %s', (url, path) => {
  expect(pathOf(url)).toBe(path);
});
