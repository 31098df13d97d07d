import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN,
  type Ask,
  auditRows,
  cookieOf,
  openService,
  type Service,
  signedInUsers,
  tokenOf,
} from './support/service.ts';

const NEW = 'a rather new password';

describe('POST /auth/change-password', () => {
  let service: Service;
  let root: string;
  let someone: ReturnType<typeof signedInUsers>;
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
    someone = signedInUsers(service, root, 'person');
  });
  const change = (oldPassword: unknown, newPassword: unknown, credential: object) =>
    service.ask('/auth/change-password', { json: { oldPassword, newPassword }, ...credential });

  it('a change of the password keeps this browser, signs out the others, and cancels reset links (spec 5.9.6, 3 Dashboard sign-in, 3 Reset link, 4 change-password, contract 2 change-password)', async () => {
    const user = await someone();
    const other = await service.signIn(user.email, user.password);
    const { link } = (await service.ask(`/users/${user.id}/reset-link`, { method: 'POST', cookie: root }))
      .body;
    expect((await change(user.password, NEW, user)).status).toBe(204);
    expect((await service.ask('/auth/me', { cookie: user.cookie })).status).toBe(200);
    expect((await service.ask('/auth/me', { cookie: other })).body).toEqual({ error: 'invalid session' });
    const json = { token: tokenOf(link) };
    expect((await service.ask('/auth/reset-password/check', { json })).status).toBe(404);
    await expect(service.signIn(user.email, user.password)).rejects.toThrow('401');
    await service.signIn(user.email, NEW);
  });

  it('POST /auth/change-password names the field that a request lacks, once (contract 1)', async () => {
    const { body } = await service.ask('/auth/change-password', {
      json: { newPassword: NEW },
      ...(await someone()),
    });
    expect(body).toMatchObject({ error: 'bad_request', message: 'oldPassword: is missing' });
  });

  it('a wrong current password is 400, changes nothing, and is audited (contract 2 change-password)', async () => {
    const user = await someone();
    const answer = await change('not it at all', NEW, user);
    expect(answer).toMatchObject({ status: 400, body: { error: 'incorrect current password' } });
    await service.signIn(user.email, user.password);
    const row = auditRows(service).find(({ event }) => event === 'authn_password_change_fail');
    expect(row).toMatchObject({ outcome: 'failure', actor: user.id, reason: 'wrong password' });
  });

  it.each([
    ['1234567', 'password must be at least 8 characters'],
    ['😀😀😀😀😀😀😀', 'password must be at least 8 characters'],
    ['x'.repeat(73), 'password is too long'],
    ['😀'.repeat(19), 'password is too long'],
    ['eight\0chars', 'password has an unusable character'],
    ['Password123', 'password is too common'],
    ['QWERTYUIOP', 'password is too common'],
    [DEFAULT_ADMIN_PASSWORD, 'password is too common'],
  ])(
    'the new password %j is refused: %s (spec 5.9.5, contract 2 change-password)',
    async (password, error) => {
      const user = await someone();
      expect(await change(user.password, password, user)).toMatchObject({ status: 400, body: { error } });
      await service.signIn(user.email, user.password);
    },
  );

  it('a change with two bad passwords reports the length first, then the old password, then the list (contract 4)', async () => {
    const user = await someone();
    const refused = async (newPassword: string) =>
      (await change('not it at all', newPassword, user)).body.error;
    expect(await refused('1234567')).toBe('password must be at least 8 characters');
    expect(await refused('x'.repeat(73))).toBe('password is too long');
    expect(await refused('password1')).toBe('incorrect current password');
  });

  it.each(['😀'.repeat(8), 'пароль на восемь', 'x'.repeat(72), '        '])(
    'the new password %j is good: any Unicode of 8 characters and up to 72 bytes (contract 4)',
    async (password) => {
      const user = await someone();
      expect((await change(user.password, password, user)).status).toBe(204);
      await service.signIn(user.email, password);
    },
  );

  it('a bearer token minted from a sign-in may; both go on, other sign-ins and their tokens end (contract 2 change-password, 4)', async () => {
    const user = await someone();
    const other = await service.signIn(user.email, user.password);
    const bearerOf = async (cookie: string) => {
      const { token } = (await service.ask('/auth/token', { json: {}, cookie })).body;
      return { headers: { authorization: `Bearer ${token}` } };
    };
    const own = await bearerOf(user.cookie);
    const another = await bearerOf(other);
    expect((await change(user.password, NEW, own)).status).toBe(204);
    const statusOf = async (credential: Pick<Ask, 'cookie' | 'headers'>) =>
      (await service.ask('/auth/me', credential)).status;
    for (const each of [own, { cookie: user.cookie }]) expect(await statusOf(each)).toBe(200);
    for (const each of [another, { cookie: other }]) expect(await statusOf(each)).toBe(401);
  });

  it('a token minted from another browser ends with it; what this one, keys and Profile tokens minted goes on (contract 4)', async () => {
    const service = await openService();
    const mint = async (credential: Pick<Ask, 'cookie' | 'headers'>, audience = 'svc-mcp') =>
      (await service.ask('/auth/token', { json: { audience }, ...credential })).body.token as string;
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const status = async (token: string) => (await service.ask('/auth/me', bearer(token))).status;
    const [own, stolen, over] = [await service.signIn(), await service.signIn(), await service.signIn()];
    const ours = await mint({ cookie: own });
    const theirs = await mint({ cookie: stolen });
    const chained = await mint(bearer(theirs), 'svc-rest');
    const ownChained = await mint(bearer(ours), 'svc-rest');
    const stolenRest = bearer(await mint({ cookie: stolen }, 'svc-rest'));
    const opened = cookieOf(await service.ask('/auth/dashboard-session', { json: {}, ...stolenRest }));
    const throughOpened = await mint({ cookie: opened });
    // The attacker signs out before the password changes, so this token belongs to a sign-in that has ended.
    const covered = await mint({ cookie: over });
    await service.ask('/auth/logout', { method: 'POST', cookie: over });
    const profile = (await service.ask('/profile/tokens', { json: { name: 'theirs' }, cookie: stolen })).body;
    const { accessKey } = (await service.ask('/profile/access-key', { cookie: own })).body;
    const pair = {
      headers: { 'x-svc-access-key': accessKey as string, 'x-svc-token': profile.token as string },
    };
    const ofKey = await mint(pair);
    const dead = [theirs, chained, throughOpened, covered];
    const alive = [ours, ownChained, ofKey];
    for (const token of [...dead, ...alive]) expect(await status(token)).toBe(200);

    const json = { oldPassword: ADMIN.password, newPassword: 'another password of mine' };
    expect((await service.ask('/auth/change-password', { json, cookie: own })).status).toBe(204);
    for (const token of dead) expect(await status(token)).toBe(401);
    for (const token of alive) expect(await status(token)).toBe(200);
    const tokens = (await service.ask('/profile/tokens', { cookie: own })).body;
    expect(tokens).toMatchObject([{ id: profile.id, name: 'theirs' }]);

    const { dataDir } = service;
    await service.close();
    const again = await openService({ SVC_DATA_DIR: dataDir });
    const statusAgain = async (token: string) => (await again.ask('/auth/me', bearer(token))).status;
    for (const token of dead) expect(await statusAgain(token)).toBe(401);
    for (const token of alive) expect(await statusAgain(token)).toBe(200);

    // A password change by another sign-in ends the tokens that an earlier change kept.
    const later = cookieOf(
      await again.ask('/auth/login', { json: { email: ADMIN.email, password: json.newPassword } }),
    );
    const change = { oldPassword: json.newPassword, newPassword: 'a third password of mine' };
    expect((await again.ask('/auth/change-password', { json: change, cookie: later })).status).toBe(204);
    for (const token of [ours, ownChained]) expect(await statusAgain(token)).toBe(401);
    expect(await statusAgain(ofKey)).toBe(200);
  });

  it('a key pair, and a bearer token minted from one, may not (contract 2 change-password)', async () => {
    const user = await someone();
    const made = (await service.ask('/profile/tokens', { json: { name: 'ci' }, cookie: user.cookie })).body;
    const { accessKey } = (await service.ask('/profile/access-key', { cookie: user.cookie })).body;
    const pair = { 'x-svc-access-key': accessKey, 'x-svc-token': made.token };
    const { token } = (await service.ask('/auth/token', { json: {}, headers: pair })).body;
    for (const headers of [pair, { authorization: `Bearer ${token}` }]) {
      expect(await change(user.password, NEW, { headers })).toMatchObject({
        status: 403,
        body: { error: 'sign_in_required' },
      });
    }
  });

  it('a temporary password asks for a change until there is one of the person’s own', async () => {
    const json = { email: 'fresh@lab.test', name: 'Fresh', role: 'Member' };
    const { temporaryPassword } = (await service.ask('/users', { json, cookie: root })).body;
    const cookie = await service.signIn('fresh@lab.test', temporaryPassword);
    const asked = async () => (await service.ask('/auth/me', { cookie })).body.passwordChangeRequired;
    expect(await asked()).toBe(true);
    expect((await change(temporaryPassword, temporaryPassword, { cookie })).status).toBe(204);
    expect(await asked()).toBe(true);
    expect((await change(temporaryPassword, NEW, { cookie })).status).toBe(204);
    expect(await asked()).toBe(false);
  });

  it('the built-in password asks for a change, and the start warns until there is one (contract 5)', async () => {
    const first = await openService();
    const cookie = await first.signIn();
    expect((await first.ask('/auth/me', { cookie })).body.passwordChangeRequired).toBe(true);
    const json = { oldPassword: ADMIN.password, newPassword: NEW };
    expect((await first.ask('/auth/change-password', { json, cookie })).status).toBe(204);
    expect((await first.ask('/auth/me', { cookie })).body.passwordChangeRequired).toBe(false);
    expect(first.log.some((line) => line.includes('built-in password'))).toBe(true);
    const { dataDir } = first;
    await first.close();
    const second = await openService({ SVC_DATA_DIR: dataDir });
    expect(second.log.some((line) => line.includes('built-in password'))).toBe(false);
  });

  it('two changes at once: one wins, the other is told, and one password is good', async () => {
    const user = await someone();
    const answers = await Promise.all([
      change(user.password, `${NEW} one`, user),
      change(user.password, `${NEW} two`, user),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    const winner = answers[0]?.status === 204 ? 'one' : 'two';
    await service.signIn(user.email, `${NEW} ${winner}`);
  });

  it('a sign-in that ends while the password is hashed changes nothing', async () => {
    const user = await someone();
    const changing = change(user.password, NEW, user);
    const other = await service.signIn(user.email, user.password);
    await service.ask('/auth/logout', { method: 'POST', cookie: user.cookie });
    const { status } = await changing;
    // In either order, a sign-in that has ended never changes the password.
    expect([204, 401]).toContain(status);
    await service.signIn(user.email, status === 204 ? NEW : user.password);
    expect((await service.ask('/auth/me', { cookie: other })).status).toBe(status === 204 ? 401 : 200);
  });
});

describe('passwords an administrator gives', () => {
  it('passwords an administrator gives are held to the list of common ones, until SVC_PASSWORD_BLOCKLIST=false', async () => {
    const make = async (env: Record<string, string>) => {
      const service = await openService(env);
      const json = { email: 'new@lab.test', name: 'New', role: 'Member', password: 'password1' };
      return await service.ask('/users', { json, cookie: await service.signIn() });
    };
    expect(await make({})).toMatchObject({ status: 400, body: { error: 'password is too common' } });
    expect((await make({ SVC_PASSWORD_BLOCKLIST: 'false' })).status).toBe(201);
  });
});
