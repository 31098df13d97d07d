import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Lookups, localDestinations, Outbound } from '@svc/outbound';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IssuerUnreachable } from '../src/workloads/exchange-token.ts';
import { IssuerKeys } from '../src/workloads/issuer-keys.ts';

const MINUTE = 60_000;
const key = () => generateKeyPair('ES256', { extractable: true });

describe('keys of issuers', () => {
  let server: Server;
  let url: string;
  let asked: string[];
  let now: number;
  let keys: IssuerKeys;
  let published: JWK[];
  /** Handler that responds instead of the issuer, if a test sets one. */
  let answer: RequestListener | undefined;
  let first: Awaited<ReturnType<typeof key>>;
  let second: Awaited<ReturnType<typeof key>>;

  beforeAll(async () => {
    [first, second] = [await key(), await key()];
  });
  beforeEach(async () => {
    [asked, now, answer] = [[], 1_000_000, undefined];
    published = [await jwkOf(first, 'first')];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (answer !== undefined) return answer(request, response);
      const isDiscovery = request.url === '/tenant/.well-known/openid-configuration';
      const body = isDiscovery ? { issuer: url, jwks_uri: `${url}/jwks` } : { keys: published };
      response.end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
    keys = new IssuerKeys({ clock: { now: () => now }, outbound: new Outbound(null) });
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const jwkOf = async ({ publicKey }: typeof first, kid: string) => ({
    ...(await exportJWK(publicKey)),
    kid,
  });
  const sign = ({ privateKey }: typeof first, kid?: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', ...(kid === undefined ? {} : { kid }) })
      .sign(privateKey);
  const verify = async (token: string) => keys.verify(token, url, null);
  const DISCOVERY = '/tenant/.well-known/openid-configuration';

  it('keys of issuers are not read at an address that the rules do not allow (contract 10.3)', async () => {
    const rules = { setting: 'SVC_WORKLOAD_ALLOW', lookups: new Lookups() };
    const at = (allow: string[], isLocal: boolean) =>
      new IssuerKeys({
        clock: { now: () => now },
        outbound: new Outbound(null),
        destinations: localDestinations({ ...rules, allow, isLocal: () => isLocal }),
      });
    const token = await sign(first, 'first');
    for (const issuer of [url, url.replace('127.0.0.1', 'localhost')])
      await expect(at([], false).verify(token, issuer, null)).rejects.toThrow(IssuerUnreachable);
    expect(asked).toEqual([]);
    expect(await at([], true).verify(token, url, null)).toBe(true);
    expect(await at(['127.0.0.1'], false).verify(token, url, null)).toBe(true);
  });

  it('keys of issuers are read once and used for ten minutes (contract 10.3)', async () => {
    const token = await sign(first, 'first');
    expect(await verify(token)).toBe(true);
    expect(await verify(await sign(first))).toBe(true);
    expect(await verify(await sign(second, 'first'))).toBe(false);
    expect(asked).toEqual([DISCOVERY, '/tenant/jwks']);
    now += 10 * MINUTE;
    expect(await verify(token)).toBe(true);
    expect(asked).toHaveLength(4);
  });

  it('10,000 tokens with unknown keys cause one request a minute (contract 10.3)', async () => {
    expect(await verify(await sign(first, 'first'))).toBe(true);
    const unknown = await Promise.all(Array.from({ length: 20 }, (_, at) => sign(second, `unknown ${at}`)));
    for (let round = 0; round < 500; round++) await Promise.all(unknown.map(verify));
    expect(asked).toHaveLength(4);
    now += MINUTE;
    expect(await Promise.all(unknown.map(verify))).toEqual(unknown.map(() => false));
    expect(asked).toHaveLength(6);
  });

  it('the same from a cold start, where reading them counts as the request (contract 10.3)', async () => {
    for (let round = 0; round < 50; round++)
      expect(await verify(await sign(second, `u${round}`))).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('10,000 tokens cause one request in 5 seconds while the issuer fails (contract 10.3)', async () => {
    answer = (_request, response) => void response.writeHead(500).end();
    const token = await sign(first, 'first');
    for (let round = 0; round < 200; round++)
      await Promise.all(
        Array.from({ length: 50 }, () => expect(verify(token)).rejects.toThrow(IssuerUnreachable)),
      );
    expect(asked).toEqual([DISCOVERY]);
    now += 5_000;
    answer = undefined;
    expect(await verify(token)).toBe(true);
  });

  it('new keys are taken, and old ones stay while they cannot be read again (contract 10.3)', async () => {
    const token = await sign(first, 'first');
    expect(await verify(token)).toBe(true);
    published = [await jwkOf(second, 'second')];
    expect(await verify(await sign(second, 'second'))).toBe(true);
    expect(await verify(token)).toBe(false);
    answer = (_request, response) => void response.destroy();
    now += 30 * MINUTE;
    expect(await verify(await sign(second, 'second'))).toBe(true);
    now += 24 * 60 * MINUTE;
    await expect(verify(await sign(second, 'second'))).rejects.toThrow(IssuerUnreachable);
  });

  it.each<[string, () => RequestListener]>([
    [
      'a redirect',
      () => (_request, response) => void response.writeHead(302, { location: `${url}/else` }).end(),
    ],
    [
      'another issuer',
      () => (_request, response) =>
        void response.end(JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${url}/jwks` })),
    ],
    [
      'keys on another host',
      () => (_request, response) =>
        void response.end(JSON.stringify({ issuer: url, jwks_uri: 'https://other.example/jwks' })),
    ],
    [
      'keys on another port',
      () => (_request, response) =>
        void response.end(JSON.stringify({ issuer: url, jwks_uri: 'http://127.0.0.1:1/jwks' })),
    ],
    [
      'a file',
      () => (_request, response) =>
        void response.end(JSON.stringify({ issuer: url, jwks_uri: 'file:///etc/passwd' })),
    ],
    [
      'too much',
      () => (_request, response) =>
        void response.end(
          JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, more: 'a'.repeat(300_000) }),
        ),
    ],
    ['no JSON', () => (_request, response) => void response.end('<html>')],
  ])('the discovery answers with %s: nothing else is asked (contract 10.3)', async (_what, listener) => {
    answer = listener();
    await expect(verify(await sign(first, 'first'))).rejects.toThrow(IssuerUnreachable);
    expect(asked).toEqual([DISCOVERY]);
  });

  it('pasted keys are used alone (contract 10.3)', async () => {
    const pasted = { keys: [await jwkOf(second, 'second')] } as never;
    expect(await keys.verify(await sign(second, 'second'), url, pasted)).toBe(true);
    expect(await keys.verify(await sign(first, 'first'), url, pasted)).toBe(false);
    expect(asked).toEqual([]);
  });
});
