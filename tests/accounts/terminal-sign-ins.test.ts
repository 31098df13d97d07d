import { afterEach, describe, expect, it } from 'vitest';
import { openService, type Service } from './support/service.ts';

const PUBLIC_URL = 'https://lab.example:8443';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const MINUTE = 60_000;

let service: Service;
afterEach(() => service.close());

async function post(path: string, form: Record<string, string>, address = '192.0.2.9') {
  const answer = await service.app.inject({
    method: 'POST',
    url: `/svc/oauth/${path}`,
    remoteAddress: address,
    headers: { host: 'lab.test:4723', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

const ask = (address?: string) => post('device_authorization', { client_id: 'svc-cli' }, address);
const poll = async (device_code: string) => {
  const { status, body } = await post('token', { client_id: 'svc-cli', grant_type: GRANT, device_code });
  return status === 200 ? 'credentials' : body.error;
};
const look = (userCode: string, cookie: string) => service.ask(`/auth/device/${userCode}`, { cookie });

describe('a sign-in from a terminal', () => {
  it('a sign-in from a terminal needs a fresh sign-in to look at a code and to decide about it (contract 10, 10.7)', async () => {
    service = await openService();
    const cookie = await service.signIn();
    service.clock.advance(10 * MINUTE + 1);
    const { body } = await ask();
    const decide = () => service.ask(`/auth/device/${body.user_code}`, { cookie, json: { approve: true } });
    for (const answer of [await look(body.user_code, cookie), await decide()]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'fresh_sign_in_required' } });
    }
    await service.ask('/auth/reauthenticate', { cookie, json: { password: 'svc-admin-please-change' } });
    expect((await look(body.user_code, cookie)).status).toBe(200);
    expect((await decide()).status).toBe(204);
    expect(await poll(body.device_code)).toBe('credentials');
  });

  it('a sign-in from a terminal raises the interval with each slow_down, and expires after 600 seconds (contract 10.7)', async () => {
    service = await openService();
    const { body } = await ask();
    const seen: string[] = [];
    for (const seconds of [0, 5, 4, 9, 15, 15]) {
      service.clock.advance(seconds * 1000);
      seen.push(await poll(body.device_code));
    }
    const pending = 'authorization_pending';
    expect(seen).toEqual([pending, pending, 'slow_down', 'slow_down', pending, pending]);
    service.clock.advance(552_000);
    expect(await poll(body.device_code)).toBe('expired_token');
    const cookie = await service.signIn();
    expect(await look(body.user_code, cookie)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('a sign-in from a terminal works with a public address, also without TLS, and names it (contract 10.7)', async () => {
    service = await openService({ SVC_PUBLIC_URL: 'http://lab.example:8080' });
    expect((await ask()).body.verification_uri).toBe('http://lab.example:8080/svc/device');
    await service.close();
    service = await openService({ SVC_PUBLIC_URL: PUBLIC_URL });
    const { body } = await ask();
    expect(body.verification_uri_complete).toBe(`${PUBLIC_URL}/svc/device?user_code=${body.user_code}`);
    const document = await service.app.inject('/.well-known/oauth-authorization-server/svc/oauth');
    expect(document.json()).toMatchObject({
      device_authorization_endpoint: `${PUBLIC_URL}/svc/oauth/device_authorization`,
      grant_types_supported: expect.arrayContaining([GRANT]),
    });
  });

  it('a sign-in from a terminal refuses wrong codes of one account like sign-in attempts (contract 4, 10.7)', async () => {
    service = await openService({ SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: '4' });
    const cookie = await service.signIn();
    const { body } = await ask();
    for (let tries = 0; tries < 4; tries += 1) expect((await look('BBBB-BBBB', cookie)).status).toBe(404);
    const refused = await look(body.user_code, cookie);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'too many login attempts', retryAfter: 300 },
      headers: { 'retry-after': '300' },
    });
    service.clock.advance(5 * MINUTE);
    expect((await look(body.user_code, cookie)).status).toBe(200);
  });

  it('a sign-in from a terminal allows 100 wrong codes by default, and any number when the limit is off (contract 4, 10.7)', async () => {
    service = await openService();
    const statuses = async () => {
      const cookie = await service.signIn();
      const all: number[] = [];
      for (let tries = 0; tries < 101; tries += 1) all.push((await look('BBBB-BBBB', cookie)).status);
      return [all.filter((status) => status === 404).length, all.at(-1)];
    };
    expect(await statuses()).toEqual([100, 429]);
    await service.close();
    service = await openService({ SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: '0' });
    expect(await statuses()).toEqual([101, 404]);
  });

  it('1,000 codes can wait, and the oldest code of the busiest sender makes room for the next (contract 10.7)', async () => {
    service = await openService();
    const { body: oldest } = await ask('10.0.0.1');
    for (let made = 1; made < 1_000; made += 1) {
      expect((await ask(`10.0.${made % 50}.1`)).status).toBe(200);
    }
    const { status, body: newest } = await ask('10.1.0.1');
    expect(status).toBe(200);
    expect(await poll(oldest.device_code)).toBe('invalid_grant');
    expect(await poll(newest.device_code)).toBe('authorization_pending');
  });

  it('a sign-in from a terminal ends the codes with the sign-in that approved them (contract 10.7)', async () => {
    service = await openService();
    const cookie = await service.signIn();
    const { body } = await ask();
    await service.ask(`/auth/device/${body.user_code}`, { cookie, json: { approve: true } });
    await service.ask('/auth/logout', { method: 'POST', cookie });
    expect(await poll(body.device_code)).toBe('access_denied');
  });
});
