import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLoopback, isSafeAddress } from '../src/loopback.ts';

it('names and addresses of this machine are loopback, however a URL or a socket writes them (contract 5, 10)', () => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.8.7', '::1', '[::1]', '::ffff:127.0.0.1'])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isLoopback(address)).toBe(address.startsWith('127.'));
      expect(isLoopback(`::ffff:${address}`)).toBe(address.startsWith('127.'));
    }),
  );
});

it('hosts that only look like this machine are not loopback (contract 10)', () => {
  for (const host of [
    ...['', 'localhost.', 'localhost.evil.test', 'evil-localhost', '127.0.0.1.evil.test', '127.evil.test'],
    ...[
      '1127.0.0.1',
      '127.0.0',
      '127.0.0.1:80',
      '[::1]:80',
      '::',
      '0.0.0.0',
      '::2',
      '2001:db8::1',
      '127.0.0.1\n',
    ],
  ])
    expect([host, isLoopback(host)]).toEqual([host, false]);
});

it('an address is safe with TLS anywhere, and without TLS only on this machine (contract 10)', () => {
  const safe = (url: string) => isSafeAddress(new URL(url));
  expect(['https://lab.example', 'http://127.1', 'http://[::1]:80/x', 'http://localhost'].map(safe)).toEqual(
    Array(4).fill(true),
  );
  expect(['http://lab.example', 'ftp://localhost', 'http://localhost@evil.test'].map(safe)).toEqual(
    Array(3).fill(false),
  );
});
