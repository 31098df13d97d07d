import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/lab.ts';
import { OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { targets, type World } from './support/world.ts';

const CLIENT = { client_id: 'svc', client_secret: 'the secret of svc at a real provider' };
/** Claims by subject. The subject is the name with which a person signs in at the provider. */
const PEOPLE: Record<string, Record<string, unknown>> = {
  grace: { email: 'grace@lab.test', email_verified: true, name: 'Grace', groups: ['lab', 'qa'] },
};

/** Signs in at the provider like a browser: keeps its cookies, and follows redirects until the lab's callback. */
async function signInAt(address: string, login: string, callback: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    if (next.href.startsWith(callback)) return next;
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    const page = location === null ? await answer.text() : '';
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (location === null && action === undefined) throw new Error(`${answer.status} ${page.slice(0, 300)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
    form = location === null ? new URLSearchParams({ prompt, login, password: 'x' }) : undefined;
    next = new URL(location ?? action ?? '', next);
  }
  throw new Error('the provider did not come to an end');
}

describe.each(targets)('sign-in through oidc-provider on $name', ({ start }) => {
  let server: Server;
  let world: World;
  let issuer: string;

  beforeAll(async () => {
    const port = await freePort();
    const callback = `http://127.0.0.1:${port}/svc/api/auth/oidc/callback`;
    const listening = await freePort();
    issuer = `http://127.0.0.1:${listening}`;
    const provider = new Provider(issuer, {
      clients: [{ ...CLIENT, redirect_uris: [callback], application_type: 'native' }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      findAccount: (_ctx: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...PEOPLE[sub] }),
      }),
      pkce: { required: () => true },
      cookies: { keys: ['a key for tests'] },
    });
    server = provider.listen(listening, '127.0.0.1');
    await new Promise((ready) => (server.listening ? ready(null) : server.once('listening', ready)));
    expect((server.address() as AddressInfo).port).toBe(listening);
    world = await startWithProvider(start, {
      PORT: String(port),
      SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
      SVC_OIDC_ISSUER: issuer,
      SVC_OIDC_CLIENT_ID: CLIENT.client_id,
      SVC_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      SVC_OIDC_ROLES: 'lab-admins=Admin,lab=Member',
      SVC_OIDC_TEAMS: 'qa=QA',
      SVC_OIDC_SIGN_UP: 'mapped',
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('a person signs in, is promoted, leaves the group and loses it (contract 10.1)', async () => {
    await world.ok('POST', '/teams', { as: world.root.as, json: { name: 'QA' } });
    const signIn = async () => {
      const browser = new OidcBrowser(world);
      const back = await signInAt(await browser.start(), 'grace', `${world.url}/svc/api/auth/oidc/callback`);
      const { headers } = await browser.back(back.searchParams);
      return { browser, location: headers.location };
    };
    const first = await signIn();
    expect(first.location).toBe('/svc/devices');
    const { email } = await world.ok('GET', '/auth/me', { as: first.browser.as });
    expect(email).toBe('grace@lab.test');
    const me = async () => world.ok('GET', '/auth/me', { as: first.browser.as });
    expect(await me()).toMatchObject({ role: 'Member', teams: [{ name: 'QA' }] });
    PEOPLE.grace = { ...PEOPLE.grace, groups: ['lab-admins'] };
    expect((await signIn()).location).toBe('/svc/devices');
    expect(await me()).toMatchObject({ role: 'Admin', teams: [] });
    PEOPLE.grace = { ...PEOPLE.grace, groups: [] };
    expect((await signIn()).location).toBe('/svc/sign-in?problem=oidc_no_account');
  });
});
