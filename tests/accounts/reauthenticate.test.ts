import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, auditRows, cookieOf, openService, type Service, signedInUsers } from './support/service.ts';

const NEW = 'a rather new password';

describe('POST /auth/reauthenticate', () => {
  let service: Service;
  let root: string;
  let someone: ReturnType<typeof signedInUsers>;
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
    someone = signedInUsers(service, root, 'person');
  });
  const prove = (json: unknown, credential: object) =>
    service.ask('/auth/reauthenticate', { json, ...credential });
  const provenAt = (accountId: string) =>
    service.services.stores.signIns.listOf(accountId).map((signIn) => signIn.provenAt);

  it('the password makes the sign-in fresh again, and no other sign-in (contract 10 reauthenticate)', async () => {
    const user = await someone();
    const signedIn = service.clock.now();
    service.clock.advance(3600_000);
    await service.signIn(user.email, user.password);
    const { status, text } = await prove({ password: user.password }, user);
    expect([status, text]).toEqual([204, '']);
    const now = service.clock.now();
    expect(now).toBeGreaterThan(signedIn);
    expect(provenAt(user.id)).toEqual([now, now]);
    service.clock.advance(60_000);
    await prove({ password: user.password }, user);
    expect(provenAt(user.id)).toEqual([now, now + 60_000]);
    const row = auditRows(service).find(({ event }) => event === 'authn_reauth_success');
    expect(row).toMatchObject({ actor: user.id, reason: 'password' });
  });

  it('a wrong password is 400, changes nothing, and is audited (contract 10 reauthenticate)', async () => {
    const user = await someone();
    const [before] = provenAt(user.id);
    service.clock.advance(1000);
    for (const password of ['not it at all', '', 'x'.repeat(100), `${user.password}\0`]) {
      const answer = await prove({ password }, user);
      expect(answer).toMatchObject({ status: 400, body: { error: 'incorrect current password' } });
    }
    expect(provenAt(user.id)).toEqual([before]);
    const row = auditRows(service).find(({ event }) => event === 'authn_reauth_fail');
    expect(row).toMatchObject({ outcome: 'failure', actor: user.id, reason: 'wrong password' });
  });

  it('wrong passwords with a stolen bearer do not keep the owner from changing the password (contract 4)', async () => {
    const user = await someone();
    const { body } = await service.ask('/auth/token', { json: {}, ...user });
    const stolen = { headers: { authorization: `Bearer ${body.token}` } };
    const change = (as: object, oldPassword: string) =>
      service.ask('/auth/change-password', { json: { oldPassword, newPassword: NEW }, ...as });
    for (let turn = 0; turn < 10; turn += 1) expect((await change(stolen, 'wrong')).status).toBe(400);
    expect((await change(stolen, 'wrong')).status).toBe(429);
    expect((await change(user, user.password)).status).toBe(204);
  });

  it('POST /auth/reauthenticate shares the counter of the change of the password (contract 10 reauthenticate)', async () => {
    const user = await someone();
    const change = () =>
      service.ask('/auth/change-password', { json: { oldPassword: 'wrong', newPassword: NEW }, ...user });
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await prove({ password: 'wrong' }, user)).status).toBe(400);
      expect((await change()).status).toBe(400);
    }
    const limited = { status: 429, body: { error: 'too many password attempts' } };
    expect(await prove({ password: user.password }, user)).toMatchObject(limited);
    expect(await change()).toMatchObject(limited);
    service.clock.advance(15 * 60_000);
    expect((await prove({ password: user.password }, user)).status).toBe(204);
  });

  it('POST /auth/reauthenticate needs one proof, a sign-in, and a sign-in of a person (contract 10 reauthenticate)', async () => {
    const user = await someone();
    const response = { id: 'x' };
    for (const json of [{}, { password: user.password, response }, { password: 1 }, { more: true }]) {
      expect(await prove(json, user)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    }
    expect((await service.ask('/auth/reauthenticate', { json: {} })).status).toBe(401);
    const made = await service.ask('/profile/tokens', { json: { name: 'ci' }, cookie: root });
    const me = await service.ask('/auth/me', { cookie: root });
    const pair = { 'x-svc-access-key': me.body.accessKey, 'x-svc-token': made.body.token };
    const password = { password: ADMIN.password };
    const byKey = await prove(password, { headers: pair });
    expect(byKey).toMatchObject({ status: 403, body: { error: 'sign_in_required' } });
    const opened = await service.ask('/auth/dashboard-session', { method: 'POST', headers: pair });
    const limited = await prove(password, { cookie: cookieOf(opened) });
    expect(limited).toMatchObject({ status: 403, body: { error: 'sign_in_required' } });
    expect(provenAt(me.body.id)).toContain(null);
  });
});
