import * as oauth from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { freePort, startLab } from '../support/lab.ts';

let world: World;
let publicClient: oauth.Configuration;
let resourceServer: oauth.Configuration;
const http: oauth.DiscoveryRequestOptions = {
  execute: [oauth.allowInsecureRequests],
  algorithm: 'oauth2',
};

beforeAll(async () => {
  const port = String(await freePort());
  world = await World.start(startLab, { PORT: port, SVC_PUBLIC_URL: `http://127.0.0.1:${port}` });
  const key = await world.apiKey(world.root.as, { scopes: ['admin'] });
  const issuer = new URL(`${world.url}/svc/oauth`);
  publicClient = await oauth.discovery(issuer, 'finder', undefined, oauth.None(), http);
  const asKey = oauth.ClientSecretBasic(key.token);
  resourceServer = await oauth.discovery(issuer, key.accessKey, undefined, asKey, http);
});
afterAll(() => world.server.stop());

it('a standard client finds the addresses, asks about a token and revokes it (contract 10.4)', async () => {
  const metadata = publicClient.serverMetadata();
  expect(metadata.issuer).toBe(`${world.url}/svc/oauth`);
  const { token, sessionToken } = await world.ok('POST', '/auth/token', {
    as: world.root.as,
    json: { audience: 'svc-mcp' },
  });
  for (const each of [token, sessionToken]) {
    const before = await oauth.tokenIntrospection(resourceServer, each);
    expect(before).toMatchObject({ active: true, sub: world.root.id, iss: 'svc' });
    await oauth.tokenRevocation(publicClient, each, { token_type_hint: 'access_token' });
    expect(await oauth.tokenIntrospection(resourceServer, each)).toEqual({ active: false });
  }
  await oauth.tokenRevocation(publicClient, 'unknown');
});

it('a standard client gets the error of an unknown grant (contract 10)', async () => {
  const asked = oauth.genericGrantRequest(publicClient, 'urn:example:unknown', {});
  await expect(asked).rejects.toMatchObject({ error: 'unsupported_grant_type', status: 400 });
});
