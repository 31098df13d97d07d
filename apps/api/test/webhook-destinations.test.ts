import type { LookupAddress } from 'node:dns';
import { DestinationNotAllowed } from '@svc/device-lab';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DestinationRules } from '../src/webhooks/destination-rules.ts';
import { Destinations } from '../src/webhooks/destinations.ts';
import { Lookups } from '../src/webhooks/lookups.ts';

const usual = new DestinationRules([]);
const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const hex = (bytes: readonly number[]) =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/(.{4})(?=.)/g, '$1:');

describe('addresses webhooks may reach', () => {
  it.each([
    ...['8.8.8.8', '10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '192.0.2.1', '169.253.1.1'],
    ...['2606:4700::1', 'fd12::1', 'fc00::1', '2002:808:808::1', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  ])('%s: an ordinary or private one', (address) => {
    expect(usual.allowsAddress(address)).toBe(true);
  });

  it.each([
    ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254'],
    ...['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', '100.100.100.200', '192.0.0.192'],
    ...['168.63.129.16', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'ff02::1'],
    ...['fd00:ec2::254', 'fd20:ce::254', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1'],
    ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ...['2001::1', 'localhost', '', 'abc', '1.2.3.4.5'],
  ])('%j: the server itself, its link, a group, metadata, one of them in disguise, or none', (address) => {
    expect(usual.allowsAddress(address)).toBe(false);
  });

  it('an IPv4 address within an IPv6 one is treated as it is alone', () => {
    const forms = (bytes: readonly number[]) => [
      `::ffff:${hex(bytes)}`,
      `64:ff9b::${hex(bytes)}`,
      `2002:${hex(bytes)}::1`,
    ];
    fc.assert(
      fc.property(v4, (bytes) => {
        const alone = usual.allowsAddress(bytes.join('.'));
        for (const form of forms(bytes)) expect(usual.allowsAddress(form), form).toBe(alone);
      }),
      { examples: [[[127, 0, 0, 1]], [[169, 254, 169, 254]], [[0, 0, 0, 0]]] },
    );
  });

  it('SVC_WEBHOOK_ALLOW names hosts, addresses and ranges, and nothing beside them', () => {
    const rules = new DestinationRules(['127.0.0.0/30', '::1', 'hooks.test', '169.254.7.7']);
    for (const address of ['127.0.0.1', '127.0.0.3', '::1', '169.254.7.7', '::ffff:127.0.0.1'])
      expect(rules.allowsAddress(address), address).toBe(true);
    for (const address of ['127.0.0.4', '::2', '169.254.169.254', '0.0.0.0', '::ffff:127.0.0.4'])
      expect(rules.allowsAddress(address), address).toBe(false);
    expect(rules.allowsHost('hooks.test')).toBe(true);
    expect(rules.allowsHost('hooks.test.')).toBe(true);
    expect(rules.allowsHost('a.hooks.test')).toBe(false);
    expect(rules.allowsHost('hooks.test.evil.test')).toBe(false);
  });
});

describe('a host and what it resolves to', () => {
  const inner: LookupAddress = { address: '127.0.0.1', family: 4 };
  const outer: LookupAddress = { address: '192.0.2.7', family: 4 };
  const of = (text: string, addresses: readonly LookupAddress[] = [outer], allow: string[] = []) =>
    new Destinations(new DestinationRules(allow), new Lookups(async () => addresses)).of(
      new URL(text),
      AbortSignal.timeout(5_000),
    );

  it.each([
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'],
    ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[0:0:0:0:0:ffff:7f00:1]/', 'http://0/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://１２７.0.0.1/', 'http://127。0。0。1/'],
  ])('%s is refused however it is written', async (url) => {
    await expect(of(url)).rejects.toThrow(DestinationNotAllowed);
  });

  it('a name is what it resolves to; one inner address among outer ones is enough to refuse', async () => {
    expect(await of('https://hooks.test/')).toEqual([outer]);
    await expect(of('https://hooks.test/', [inner])).rejects.toThrow(DestinationNotAllowed);
    await expect(of('https://hooks.test/', [outer, inner])).rejects.toThrow(DestinationNotAllowed);
    expect(await of('https://hooks.test/', [inner], ['hooks.test'])).toEqual([inner]);
    await expect(of('https://other.test/', [inner], ['hooks.test'])).rejects.toThrow(DestinationNotAllowed);
  });

  it('a name without address is not reached', async () => {
    await expect(of('https://hooks.test/', [])).rejects.toThrow('no address');
  });
});

describe('look-ups', () => {
  it('two at once; whoever waits too long leaves, and the next has the place', async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const lookups = new Lookups((hostname) => {
      asked.push(hostname);
      return new Promise((found) => answers.set(hostname, () => found([])));
    });
    const patience = new AbortController();
    const never = new AbortController().signal;
    const first = lookups.addressesOf('a', patience.signal);
    const second = lookups.addressesOf('b', never);
    const third = lookups.addressesOf('c', patience.signal);
    const fourth = lookups.addressesOf('d', never);
    await Promise.resolve();
    expect(asked).toEqual(['a', 'b']);
    patience.abort(new Error('too late'));
    await expect(first).rejects.toThrow('too late');
    await expect(third).rejects.toThrow('too late');
    // `a` is still being looked up: its thread is not free yet.
    expect(asked).toEqual(['a', 'b']);
    answers.get('a')?.();
    await expect.poll(() => asked).toEqual(['a', 'b', 'd']);
    answers.get('b')?.();
    answers.get('d')?.();
    expect(await Promise.all([second, fourth])).toEqual([[], []]);
    const later = lookups.addressesOf('e', never);
    await expect.poll(() => asked).toContain('e');
    answers.get('e')?.();
    await later;
  });
});
