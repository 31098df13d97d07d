import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AddressNotAllowed,
  ask,
  connectionPool,
  DestinationRules,
  Destinations,
  isUntouched,
  Lookups,
  Outbound,
} from '../src/index.ts';

const usual = new DestinationRules([]);
const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const hex = (bytes: readonly number[]) =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/(.{4})(?=.)/g, '$1:');

const destinationsTo = (addresses: readonly LookupAddress[], allow: string[] = []) => {
  const rules = new DestinationRules(allow);
  const lookups = new Lookups(async () => addresses);
  return new Destinations({ rules: () => rules, lookups, setting: 'SVC_NODE_ALLOW' });
};

describe('addresses that connections may have', () => {
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
    destinationsTo(addresses, allow).of(new URL(text), AbortSignal.timeout(5_000));

  it.each([
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'],
    ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[0:0:0:0:0:ffff:7f00:1]/', 'http://0/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://１２７.0.0.1/', 'http://127。0。0。1/'],
  ])('%s is refused however it is written', async (url) => {
    await expect(of(url)).rejects.toThrow(AddressNotAllowed);
  });

  it('a name is what it resolves to; one inner address among outer ones is enough to refuse', async () => {
    expect(await of('https://hooks.test/')).toEqual([outer]);
    await expect(of('https://hooks.test/', [inner])).rejects.toThrow(AddressNotAllowed);
    await expect(of('https://hooks.test/', [outer, inner])).rejects.toThrow(AddressNotAllowed);
    expect(await of('https://hooks.test/', [inner], ['hooks.test'])).toEqual([inner]);
    await expect(of('https://other.test/', [inner], ['hooks.test'])).rejects.toThrow(AddressNotAllowed);
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
    // The look-up of `a` has not ended, so its thread is not free yet.
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

describe('a connection to a server whose address is checked', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Starts a server on the loopback address that counts the connections to it. */
  async function target() {
    let reached = 0;
    const server = createServer((_req, res) => void res.end('here')).listen(0, '127.0.0.1');
    server.on('connection', () => {
      reached += 1;
    });
    servers.push(server);
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, reached: () => reached };
  }

  const answers = (addresses: () => readonly LookupAddress[], allow: string[] = []) => {
    const rules = new DestinationRules(allow);
    const lookups = new Lookups(async () => addresses());
    return new Destinations({ rules: () => rules, lookups, setting: 'SVC_NODE_ALLOW' });
  };
  const inner: LookupAddress = { address: '127.0.0.1', family: 4 };

  async function byPool(url: string, destinations: Destinations): Promise<string> {
    const pool = connectionPool(url, new Outbound(null), { destinations });
    try {
      const { body } = await ask(pool, {
        method: 'GET',
        path: '/',
        headers: {},
        body: null,
        withinMs: 5_000,
      });
      return body === null ? 'answered' : 'JSON';
    } finally {
      await pool.destroy();
    }
  }

  function byRequest(url: string, destinations: Destinations): Promise<string> {
    return new Promise((answered, failed) => {
      const asking = get(url, new Outbound(null).connection(new URL(url), { destinations }), (response) => {
        response.resume().on('end', () => answered('answered'));
      });
      asking.on('error', failed);
    });
  }

  describe.each([
    ['from a pool', byPool],
    ['of its own', byRequest],
  ])('%s', (_, connect) => {
    it.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'rebound.test'])(
      'a connection to a checked address is not made to %s, and nothing arrives there (contract 8.3)',
      async (host) => {
        const { port, reached } = await target();
        const failure = await Promise.resolve()
          .then(() =>
            connect(
              `http://${host}:${port}`,
              answers(() => [inner]),
            ),
          )
          .catch((error: Error) => error);
        expect(failure).toBeInstanceOf(AddressNotAllowed);
        expect(isUntouched(failure)).toBe(true);
        expect(String(failure)).toContain('SVC_NODE_ALLOW');
        expect(reached()).toBe(0);
      },
    );

    it('a connection to a checked address follows a name to where it leads now, not to where it led when it was checked (contract 8.3)', async () => {
      const { port, reached } = await target();
      let now: LookupAddress = { address: '192.0.2.7', family: 4 };
      const destinations = answers(() => [now]);
      await destinations.of(new URL('http://rebound.test'), AbortSignal.timeout(5_000));
      now = inner;
      const connecting = Promise.resolve().then(() => connect(`http://rebound.test:${port}`, destinations));
      await expect(connecting).rejects.toThrow(AddressNotAllowed);
      expect(reached()).toBe(0);
    });

    it.each([
      ['127.0.0.1', ['127.0.0.0/8']],
      ['here.test', ['here.test']],
      ['here.test', ['127.0.0.1']],
    ])(
      'a connection to a checked address is made to %s where %j is allowed (contract 8.3)',
      async (host, allow) => {
        const { port } = await target();
        expect(
          await connect(
            `http://${host}:${port}`,
            answers(() => [inner], allow),
          ),
        ).toBe('answered');
      },
    );
  });

  it('a proxy is given an address that was checked, a listed name, or a name that it alone can resolve (contract 8.3)', async () => {
    const outer: LookupAddress = { address: '192.0.2.7', family: 4 };
    expect(await answers(() => [outer]).throughProxy('node.test')).toBe('192.0.2.7');
    expect(await answers(() => [inner], ['node.test']).throughProxy('node.test')).toBe('node.test');
    expect(await answers(() => []).throughProxy('node.test')).toBe('node.test');
    await expect(answers(() => [inner]).throughProxy('node.test')).rejects.toThrow(AddressNotAllowed);
    await expect(answers(() => []).throughProxy('169.254.169.254')).rejects.toThrow(AddressNotAllowed);
  });
});
