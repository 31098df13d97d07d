import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOfAddress } from '../src/attempts/client-network.ts';

describe('what attempts are counted by (specification 5.9.3)', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['2001:DB8:0:0:1:2:3:4', '2001:db8::'],
    ['fe80::1%eth0', 'fe80::'],
    ['Unknown', 'unknown'],
    ['1::2::3', '1::2::3'],
  ])('%s is %s', (address, network) => {
    expect(networkOfAddress(address)).toBe(network);
  });

  it('the network of a client is the /64 of an IPv6 address, however it is written, and another one beyond it', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length });
    const written = (all: readonly number[]) => all.map((each) => each.toString(16)).join(':');
    fc.assert(
      fc.property(groups(3), group, group, groups(4), groups(4), (site, one, other, host, another) => {
        // The first group is fixed to 2001, because addresses of other ranges may contain an IPv4 address.
        const at = (net: number, rest: readonly number[]) =>
          networkOfAddress(written([0x2001, ...site.slice(1), net, ...rest]));
        expect(at(one, host)).toBe(at(one, another));
        expect(at(one, host) === at(other, host)).toBe(one === other);
      }),
    );
  });
});
