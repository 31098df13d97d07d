import { beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.ts';
import { ADMIN, makeUser, openService, type Service } from './support/service.ts';

const MINUTE_MS = 60_000;
const ORIGIN = 'https://lab.example';

describe('passkeys and time', () => {
  let service: Service;
  let root: string;
  beforeAll(async () => {
    service = await openService({ SVC_PUBLIC_URL: ORIGIN, SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '6' });
    root = await service.signIn();
  });
  let count = 0;
  const from = () => `198.51.100.${++count}`;
  async function owner() {
    const user = await makeUser(service, root, { email: `owner${count}@lab.test` });
    const cookie = await service.signIn(user.email, user.password, from());
    const key = new Authenticator({ origin: ORIGIN });
    return { ...user, cookie, key };
  }
  const registration = (cookie: string) =>
    service.ask('/profile/passkeys/options', { method: 'POST', cookie });
  const options = (address = from()) =>
    service.ask('/auth/passkey/options', { method: 'POST', from: address });
  const present = (response: object, address = from()) =>
    service.ask('/auth/passkey', { json: { response }, from: address });

  it('a challenge lives 5 minutes (contract 10.2)', async () => {
    const { cookie, key } = await owner();
    const [late, good] = [await registration(cookie), await registration(cookie)];
    expect(good.body.rp.id).toBe('lab.example');
    service.clock.advance(5 * MINUTE_MS - 1);
    const add = (body: object) =>
      service.ask('/profile/passkeys', { json: { name: 'key', response: body }, cookie });
    expect((await add(key.create(good.body))).status).toBe(201);
    service.clock.advance(1);
    expect((await add(key.create(late.body))).body.error).toBe('invalid_passkey');
    key.credentials.pop();
    const [old, fresh] = [await options(), await options()];
    service.clock.advance(5 * MINUTE_MS - 1);
    expect((await present(key.get(fresh.body))).status).toBe(204);
    service.clock.advance(1);
    expect((await present(key.get(old.body))).status).toBe(401);
  });

  it('a sign-in older than 10 minutes is proved again, by password or passkey (contract 10 fresh sign-in)', async () => {
    const { cookie, key, password } = await owner();
    await service.ask('/profile/passkeys', {
      json: { name: 'key', response: key.create((await registration(cookie)).body) },
      cookie,
    });
    const prove = (json: object) => service.ask('/auth/reauthenticate', { json, cookie });
    for (const proof of [
      async () => ({ password }),
      async () => ({ response: key.get((await options()).body) }),
    ]) {
      service.clock.advance(10 * MINUTE_MS - 1);
      expect((await registration(cookie)).status).toBe(200);
      service.clock.advance(1);
      const stale = await registration(cookie);
      expect([stale.status, stale.body.error]).toEqual([403, 'fresh_sign_in_required']);
      expect((await service.ask('/profile/passkeys', { cookie })).status).toBe(200);
      expect((await prove(await proof())).status).toBe(204);
      expect((await registration(cookie)).status).toBe(200);
    }
  });

  it('options and sign-ins count as sign-in attempts, and a sign-in resets them (contract 10.2)', async () => {
    const { cookie, key } = await owner();
    await service.ask('/profile/passkeys', {
      json: { name: 'key', response: key.create((await registration(cookie)).body) },
      cookie,
    });
    const address = from();
    for (let turn = 0; turn < 4; turn += 1) {
      const { body } = await options(address);
      expect((await present(key.get(body), address)).status).toBe(204);
    }
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await options(address)).status).toBe(200);
      expect((await present({}, address)).status).toBe(401);
    }
    const limited = { status: 429, body: { error: 'too many login attempts' } };
    expect(await options(address)).toMatchObject(limited);
    expect(await present({}, address)).toMatchObject(limited);
    expect(await service.ask('/auth/login', { json: ADMIN, from: address })).toMatchObject(limited);
  });

  it('the list of passkeys says whether passkeys can work (contract 10, options)', async () => {
    expect((await service.ask('/auth/options')).body.passkeys).toBe(true);
    const { body } = await service.ask('/profile/passkeys/address', { cookie: root });
    expect(body).toEqual({ rpId: 'lab.example', address: ORIGIN, unusable: [] });
  });
});
