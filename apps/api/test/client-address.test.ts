import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFacts } from '../src/clients/client-address.ts';
import { networkOfAddress } from '../src/clients/client-network.ts';

const sent = (peer: string, forwarded?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('(contract 5, SVC_TRUSTED_PROXIES) what strangers are counted by', () => {
  const proxied = clientFacts(['10.0.0.0/8']);

  it('is the client behind a trusted proxy, so that they do not share the proxy’s', () => {
    expect(proxied.senderOf(sent('10.0.0.1', '198.51.100.1'))).toBe('198.51.100.1');
    expect(proxied.senderOf(sent('10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2'))).toBe('198.51.100.1');
  });

  it('is nothing a client can choose', () => {
    const client = '198.51.100.1';
    fc.assert(
      fc.property(fc.array(fc.ipV4(), { maxLength: 3 }), (claimed) => {
        const appended = [...claimed, client].join(', ');
        expect(proxied.senderOf(sent('10.0.0.1', appended))).toBe(client);
        expect(proxied.senderOf(sent(client, claimed.join(', ')))).toBe(client);
        expect(clientFacts([]).senderOf(sent(client, appended))).toBe(client);
      }),
    );
  });
});

const withProto = (peer: string, proto: string | string[] | undefined) =>
  ({
    socket: { remoteAddress: peer },
    headers: proto === undefined ? {} : { 'x-forwarded-proto': proto },
  }) as unknown as IncomingMessage;

describe('whether a request came over HTTPS', () => {
  const proxied = clientFacts(['10.0.0.1']);

  it.each([
    [undefined, false],
    ['https', true],
    ['HTTPS', true],
    ['http', false],
    ['https, http', false],
    ['http, https', true],
    ['https,http,https', true],
    ['https,', false],
    [['https', 'http'], false],
  ])(
    'a trusted proxy tells by the last value, which it wrote itself: %j is %j (contract 5)',
    (proto, isHttps) => {
      expect(proxied.isHttps(withProto('10.0.0.1', proto))).toBe(isHttps);
      expect(proxied.isHttps(withProto('::ffff:10.0.0.1', proto))).toBe(isHttps);
      expect(proxied.isHttps(withProto('198.51.100.7', proto))).toBe(false);
    },
  );

  it.each([
    [undefined, false],
    ['https', true],
    ['https, http', true],
    ['http, https', false],
  ])(
    'a server without trusted proxies uses the first value of X-Forwarded-Proto from any client: %j is %j (spec 5.9.3)',
    (proto, isHttps) => {
      expect(clientFacts([]).isHttps(withProto('198.51.100.7', proto))).toBe(isHttps);
    },
  );
});

describe('(specification 5.9.3) what attempts are counted by', () => {
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

  it('is the /64 of an IPv6 address, however it is written, and another one beyond it', () => {
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
