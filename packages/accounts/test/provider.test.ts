import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Outbound } from '@svc/outbound';
import { afterEach, describe, expect, it } from 'vitest';
import { OidcProvider } from '../src/oidc/provider.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts an HTTP server that plays the role of a provider. */
async function answering(answer: (url: string) => RequestListener): Promise<string> {
  const server = createServer((req, res) => answer(url)(req, res));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

function providerAt(issuer: string, timeLimitMs = 5_000): OidcProvider {
  return new OidcProvider({
    issuer,
    clientId: 'svc',
    clientSecret: null,
    scopes: 'openid',
    groupsClaim: 'groups',
    redirectUri: 'http://127.0.0.1/callback',
    outbound: new Outbound(null),
    clock: { now: Date.now },
    timeLimitMs,
  });
}

const document = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  ...more,
});
const sends =
  (body: (url: string) => unknown) =>
  (url: string): RequestListener =>
  (_req, res) =>
    void res.setHeader('content-type', 'application/json').end(JSON.stringify(body(url)));
const problem = async (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { kind?: string }) => error.kind,
  );

describe('the client of a provider', () => {
  it('the client of a provider refuses a logout token that cannot be valid without a request to the provider (contract 10.1)', async () => {
    const requested: string[] = [];
    const issuer = await answering(() => (req, res) => {
      requested.push(req.url ?? '');
      res.writeHead(500).end();
    });
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const token = (alg: string, iss: string) => `${part({ alg })}.${part({ iss })}.AAAA`;
    for (const text of [
      '',
      'x.y.z',
      token('none', issuer),
      token('HS256', issuer),
      token('RS256', 'https://x.test'),
    ])
      expect(await problem(providerAt(issuer).verifyLogout(text))).toBe('failed');
    expect(requested).toEqual([]);
    expect(await problem(providerAt(issuer).verifyLogout(token('RS256', issuer)))).not.toBe('none');
    expect(requested.length).toBe(1);
  });

  it('the client of a provider gives up at the time limit, and says that the provider is unavailable (contract 10.1)', async () => {
    const silent = await answering(() => () => undefined);
    expect(await problem(providerAt(silent, 50).begin())).toBe('unavailable');
    const slow = await answering(() => (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('{');
    });
    expect(await problem(providerAt(slow, 50).begin())).toBe('unavailable');
    expect(await problem(providerAt('http://127.0.0.1:9', 1_000).begin())).toBe('unavailable');
  });

  it('the client of a provider refuses a document that names another issuer, redirects, or is too large (contract 10.1)', async () => {
    const other = await answering(sends((url) => document(`${url}/other`)));
    expect(await problem(providerAt(other).begin())).toBe('failed');
    const slash = await answering(sends((url) => document(`${url}/`)));
    expect(await problem(providerAt(slash).begin())).toBe('failed');
    const moved = await answering(() => (_req, res) => void res.writeHead(302, { location: '/x' }).end());
    expect(await problem(providerAt(moved).begin())).toBe('failed');
    const large = await answering(sends((url) => document(url, { more: 'x'.repeat(300_000) })));
    expect(await problem(providerAt(large).begin())).toBe('failed');
    const script = await answering(sends((url) => document(url, { authorization_endpoint: 'javascript:x' })));
    expect(await problem(providerAt(script).begin())).toBe('failed');
  });

  it('the client of a provider asks no other host than that of the issuer (contract 10.1)', async () => {
    let asked = 0;
    const inside = await answering(() => (_req, res) => {
      asked += 1;
      res.end('{}');
    });
    const issuer = await answering(sends((url) => document(url, { token_endpoint: `${inside}/token` })));
    const provider = providerAt(issuer);
    const { transaction } = await provider.begin();
    const query = `?code=c&state=${transaction.state}`;
    expect(await problem(provider.finish(query, transaction))).toBe('failed');
    expect(asked).toBe(0);
  });

  it('the client of a provider fetches the document once for sign-ins that start together', async () => {
    let asked = 0;
    const issuer = await answering((url) => (req, res) => {
      asked += 1;
      sends(() => document(url))(url)(req, res);
    });
    const provider = providerAt(issuer);
    await Promise.all([provider.begin(), provider.begin(), provider.begin()]);
    await provider.begin();
    expect(asked).toBe(1);
  });
});
