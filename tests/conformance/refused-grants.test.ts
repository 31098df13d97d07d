import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CiIssuer } from '../support/ci-issuer.ts';
import { type CallOptions, call, type HttpResponse } from './support/call.ts';
import { OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { ScriptedProvider } from './support/scripted-provider.ts';
import { targets, type World } from './support/world.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:';
const DEVICE_CODE = `${GRANT}device_code`;
const CLIENT = { client_id: 'svc-cli' };
const VICTIM = '198.51.100.7';
/**
 * An unauthenticated client that connects from another address of this machine and states the address of the victim.
 */
const STRANGER: CallOptions = { localAddress: '127.0.0.2', headers: { 'x-forwarded-for': VICTIM } };
const OWN: CallOptions = { headers: { 'x-forwarded-for': VICTIM } };
const GARBAGE = [
  { grant_type: DEVICE_CODE, ...CLIENT, device_code: 'A'.repeat(43) },
  { grant_type: `${GRANT}jwt-bearer`, assertion: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL3gueSJ9.AAAA' },
  {
    grant_type: `${GRANT}token-exchange`,
    subject_token: 'no token',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  },
];

describe.each(targets)('a flood of refused grants on $name', ({ start }) => {
  let world: World;
  let provider: ScriptedProvider;
  let issuer: CiIssuer;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    issuer = await CiIssuer.start();
    // 300 refused grants of a sender, as in a lab without settings of its own.
    const env = {
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '5',
      SVC_OIDC_SIGN_UP: 'mapped',
      SVC_OIDC_ROLES: 'lab=Member',
    };
    world = await startWithProvider(start, { ...provider.env, ...env });
    const claims = [{ claim: 'repository_id', anyOf: ['74'] }];
    const rule = { name: 'CI', issuer: issuer.url, audience: 'lab', claims, scopes: ['read'] };
    await world.ok('POST', '/trust-rules', { as: world.root.as, json: rule });
  });
  afterAll(async () => {
    await world.server.stop();
    await issuer.close();
  });

  const post = (path: string, form: Record<string, string>, options: CallOptions) =>
    call(world.url, 'POST', `/svc/oauth/${path}`, {
      ...options,
      body: new URLSearchParams(form).toString(),
      headers: { origin: null, 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
    });
  const wordOf = ({ status, body }: HttpResponse) => `${status} ${body?.error ?? ''}`.trim();
  const garbage = async (options: CallOptions) => {
    const words: string[] = [];
    while (words.length < 400) {
      const round = Array.from({ length: 40 }, (_, at) =>
        post('token', GARBAGE[at % GARBAGE.length] as Record<string, string>, options),
      );
      words.push(...(await Promise.all(round)).map(wordOf));
    }
    return words;
  };
  const ciExchange = async (options: CallOptions) => {
    const assertion = await issuer.sign({ aud: 'lab', sub: 'job', repository_id: '74' });
    return wordOf(await post('token', { grant_type: `${GRANT}jwt-bearer`, assertion }, options));
  };
  const person = { sub: 'grace', email: 'grace@lab.test', email_verified: true, groups: ['lab'] };

  it('a stranger who states the address of others shuts out only their own connection (contract 10)', async () => {
    const words = await garbage(STRANGER);
    expect(words.filter((word) => word === '400 invalid_grant').length).toBeGreaterThanOrEqual(300);
    expect(words.filter((word) => word === '400 invalid_grant').length).toBeLessThan(345);
    expect(words.at(-1)).toBe('429 temporarily_unavailable');
    expect(wordOf(await post('token', GARBAGE[0] as never, OWN))).toBe('400 invalid_grant');
    const { body } = await post('device_authorization', CLIENT, OWN);
    const poll = { grant_type: DEVICE_CODE, ...CLIENT, device_code: body.device_code };
    expect(wordOf(await post('token', poll, OWN))).toBe('400 authorization_pending');
    expect(await ciExchange(OWN)).toBe('200');
    expect(await new OidcBrowser(world).signIn(provider, person)).toBe('/svc/devices');
  });

  it('a sender whose garbage was refused still uses known device codes, trusted issuers and started sign-ins (contract 10)', async () => {
    const { body } = await post('device_authorization', CLIENT, STRANGER);
    const poll = { grant_type: DEVICE_CODE, ...CLIENT, device_code: body.device_code };
    expect(wordOf(await post('token', poll, STRANGER))).toBe('400 authorization_pending');
    expect(await ciExchange(STRANGER)).toBe('200');
    expect((await garbage(OWN)).at(-1)).toBe('429 temporarily_unavailable');
    const browser = new OidcBrowser(world);
    expect(await browser.signIn(provider, { ...person, sub: 'ada', email: 'ada@lab.test' })).toBe(
      '/svc/devices',
    );
    const [stranger, known] = [new OidcBrowser(world), new OidcBrowser(world)];
    const query = provider.authorize(await known.start(), person);
    expect((await stranger.back(query)).headers.location).toBe('/svc/sign-in?problem=oidc_failed');
    expect((await known.back(query)).headers.location).toBe('/svc/devices');
  });

  it('codes that a stranger requests under the address of another make room for codes of the other (contract 10.7)', async () => {
    const address = { 'x-forwarded-for': '198.51.100.8' };
    const ask = (options: CallOptions) =>
      post('device_authorization', CLIENT, { ...options, headers: address });
    const strange = await Promise.all(Array.from({ length: 25 }, () => ask(STRANGER)));
    expect(strange.map(({ status }) => status).filter((status) => status === 429).length).toBe(5);
    const own = await ask({});
    expect(own.status).toBe(200);
    await Promise.all(Array.from({ length: 25 }, () => ask(STRANGER)));
    const poll = { grant_type: DEVICE_CODE, ...CLIENT, device_code: own.body.device_code };
    expect(wordOf(await post('token', poll, OWN))).toBe('400 authorization_pending');
  });
});
