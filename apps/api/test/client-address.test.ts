import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-address.ts';

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
