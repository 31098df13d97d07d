import { isSafeAddress as isSafeForServers } from '@svc/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSafeAddress } from '../src/safe-address.ts';

const hosts = fc.oneof(
  fc.webAuthority(),
  fc.ipV4(),
  fc.ipV4().map((address) => address.replace(/^\d+/, '127')),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom('localhost', 'LOCALHOST', 'localhost.evil.test', '127.0.0.1.evil.test', '127.1', '[::1]'),
);

it('client and server call the same web addresses safe (contract 10)', () => {
  fc.assert(
    fc.property(fc.constantFrom('http', 'https'), hosts, (scheme, host) => {
      const address = `${scheme}://${host}/svc`;
      fc.pre(URL.canParse(address));
      expect([address, isSafeAddress(address)]).toEqual([address, isSafeForServers(new URL(address))]);
    }),
  );
});
