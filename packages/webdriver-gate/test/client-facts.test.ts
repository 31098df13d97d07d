import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-facts.ts';

const sent = (peer: string, forwarded?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('what strangers are counted by (contract 5, SVC_TRUSTED_PROXIES)', () => {
  const proxied = clientFacts(['10.0.0.0/8']);

  it('the address that counts is that of the client behind a trusted proxy, so that clients do not share the proxy’s', () => {
    expect(proxied.senderOf(sent('10.0.0.1', '198.51.100.1'))).toBe('198.51.100.1');
    expect(proxied.senderOf(sent('10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2'))).toBe('198.51.100.1');
  });

  it('the address that counts cannot be chosen by a client', () => {
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
