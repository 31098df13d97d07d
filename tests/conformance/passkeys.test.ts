import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator, bytes, type Deviation, list, map, text } from '../support/authenticator.ts';
import type { HttpResponse } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const GENEROUS = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '100000' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An account with a passkey. */
interface Owner extends Person {
  readonly key: Authenticator;
  readonly passkeyId: string;
}

describe.each(targets)('passkeys on $name', ({ start }) => {
  let world: World;
  let origin: string;
  beforeAll(async () => {
    world = await World.start(start, GENEROUS);
    origin = `http://localhost:${new URL(world.url).port}`;
  });
  afterAll(() => world.server.stop());

  const options = () => world.ok('POST', '/auth/passkey/options');
  const present = (response: object) => world.api('POST', '/auth/passkey', { json: { response } });
  const registration = (as: Credentials) => world.ok('POST', '/profile/passkeys/options', { as });
  const add = (as: Credentials, response: object, name = 'laptop') =>
    world.api('POST', '/profile/passkeys', { as, json: { name, response } });
  const signIn = async (key: Authenticator, deviation?: Deviation) =>
    present(key.get(await options(), deviation));
  async function owner(traits: { syncs?: boolean } = {}, role: Parameters<World['person']>[0] = 'Member') {
    const person = await world.person(role);
    const key = new Authenticator({ origin, ...traits });
    const { status, body, text: raw } = await add(person.as, key.create(await registration(person.as)));
    expect(status, raw).toBe(201);
    return { ...person, key, passkeyId: body.id } as Owner;
  }
  const cookieOf = ({ headers }: HttpResponse): Credentials => ({
    cookie: headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '',
  });
  async function auditOf(event: string, target?: string) {
    const { items } = await world.ok('GET', `/audit?event=${event}&limit=50`, { as: world.root.as });
    return items.filter((row: { target: string }) => target === undefined || row.target === target);
  }

  it('the start names the address at which passkeys work (contract 10.2)', () => {
    expect(world.server.output()).toContain(`http://localhost:${new URL(world.url).port}/svc/`);
  });

  it('options for signing in name no account, and nothing of the Host header (contract 10.2)', async () => {
    const found = await world.ok('POST', '/auth/passkey/options', {
      headers: { host: 'evil.example', origin: 'http://evil.example' },
    });
    expect(found).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(found.allowCredentials ?? []).toEqual([]);
    expect(Buffer.from(found.challenge, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect((await options()).challenge).not.toBe(found.challenge);
  });

  it('a passkey is added, listed, and signs in (contract 10.2)', async () => {
    const person = await world.person();
    const key = new Authenticator({ origin });
    const wanted = await registration(person.as);
    expect(wanted).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(wanted.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-8, -7, -257]);
    expect(Buffer.from(wanted.user.id, 'base64url')).toHaveLength(64);
    const made = await add(person.as, key.create(wanted), '  my laptop ');
    expect(made.status, made.text).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(UUID),
      name: 'my laptop',
      createdAt: expect.stringMatching(INSTANT),
      lastUsedAt: null,
      backedUp: false,
    });
    expect(await world.ok('GET', '/profile/passkeys', { as: person.as })).toEqual([made.body]);

    const opened = await signIn(key);
    expect([opened.status, opened.text]).toEqual([204, '']);
    expect(opened.headers['set-cookie']?.[0]).toMatch(
      /^svc_dashboard_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const as = cookieOf(opened);
    expect(await world.ok('GET', '/auth/me', { as })).toMatchObject({ id: person.id, kind: 'sign-in' });
    const [listed] = await world.ok('GET', '/profile/passkeys', { as });
    expect(listed.lastUsedAt).toMatch(INSTANT);
    expect(await auditOf('authn_passkey_added', made.body.id)).toHaveLength(1);
    const [login] = await auditOf('authn_login_success');
    expect(login).toMatchObject({ actor: person.id, reason: `passkey ${made.body.id}` });
    // A sign-in with a passkey is fresh, so adding another passkey is allowed.
    expect((await world.api('POST', '/profile/passkeys/options', { as })).status).toBe(200);
  });

  it('a synchronised passkey counts nothing and signs in again and again (contract 10.2)', async () => {
    const { key, as } = await owner({ syncs: true });
    for (let turn = 0; turn < 3; turn += 1) expect((await signIn(key)).status).toBe(204);
    const [listed] = await world.ok('GET', '/profile/passkeys', { as });
    expect(listed.backedUp).toBe(true);
  });

  it('every failing sign-in gets the same bytes, and a challenge works once (contract 10.2)', async () => {
    const { key } = await owner();
    const stranger = new Authenticator({ origin });
    stranger.create(await registration((await world.person()).as));
    const other = await owner();
    const inactive = await owner();
    await world.ok('PATCH', `/users/${inactive.id}`, { as: world.root.as, json: { status: 'Inactive' } });
    const used = key.get(await options());
    expect((await present(used)).status).toBe(204);
    const wanted = await registration((await world.person()).as);
    const signature = key.get(await options()) as { response: { signature: string } };
    signature.response.signature = randomBytes(70).toString('base64url');
    const refused: [string, HttpResponse][] = [
      ['unknown passkey', await signIn(stranger)],
      ['inactive account', await signIn(inactive.key)],
      ['replayed response', await present(used)],
      ['foreign origin', await signIn(key, { origin: 'http://evil.example' })],
      ['other port', await signIn(key, { origin: 'http://localhost:1' })],
      ['IP address', await signIn(key, { origin: world.url })],
      ['foreign RP ID', await signIn(key, { rpId: 'evil.example' })],
      ['no user verification', await signIn(key, { verified: false })],
      ['no user presence', await signIn(key, { present: false })],
      ['own challenge', await signIn(key, { challenge: randomBytes(38).toString('base64url') })],
      ['challenge of a registration', await signIn(key, { challenge: wanted.challenge })],
      ['registration type', await signIn(key, { type: 'webauthn.create' })],
      ['frame of another site', await signIn(key, { clientData: { crossOrigin: true } })],
      ['top of another site', await signIn(key, { clientData: { topOrigin: 'http://evil.example' } })],
      [
        'user handle of another',
        await signIn(key, { userHandle: other.key.credentials[0]?.userHandle ?? '' }),
      ],
      ['passkey of another', await signIn(key, { credentialId: other.key.credentials[0]?.id ?? '' })],
      ['wrong signature', await present(signature)],
      ['no response', await present({})],
      ['empty response', await present({ id: key.credentials[0]?.id, response: {} })],
      ['odd client data', await present({ id: 'x', response: { clientDataJSON: 'bnVsbA' } })],
      ['odd id', await present({ ...key.get(await options()), id: 7 })],
    ];
    for (const [why, answer] of refused) {
      expectError(answer, 'invalid credentials');
      expect(answer.text, why).toBe(refused[0]?.[1].text);
      expect(answer.headers['set-cookie'], why).toBeUndefined();
    }
    expect((await signIn(key, { userHandle: null })).status).toBe(204);
    const [fail] = await auditOf('authn_login_fail');
    expect(fail).toMatchObject({ outcome: 'failure', reason: 'unknown passkey' });
  });

  it('a copied passkey, whose counter goes backwards, is refused and audited (contract 10.2)', async () => {
    const { key, passkeyId, id } = await owner();
    const copy = key.clone();
    expect((await signIn(key)).status).toBe(204);
    expect((await signIn(key)).status).toBe(204);
    expectError(await signIn(copy), 'invalid credentials');
    expectError(await signIn(key, { counter: 2 }), 'invalid credentials');
    const rows = await auditOf('authn_passkey_clone', passkeyId);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ outcome: 'failure', actor: id, reason: 'counter 2 after 2' });
    expect((await signIn(key)).status).toBe(204);
  });

  it('nobody without the key can make a passkey look copied (contract 10.2)', async () => {
    const { key, passkeyId } = await owner();
    expect((await signIn(key)).status).toBe(204);
    const forged = key.get(await options(), { counter: 1 }) as { response: { signature: string } };
    forged.response.signature = randomBytes(70).toString('base64url');
    expectError(await present(forged), 'invalid credentials');
    expect(await auditOf('authn_passkey_clone', passkeyId)).toEqual([]);
  });

  it('one of two sign-ins with one response or one counter succeeds (contract 10.2)', async () => {
    const { key } = await owner();
    const response = key.get(await options());
    const twice = await Promise.all([present(response), present(response)]);
    expect(twice.map(({ status }) => status).sort()).toEqual([204, 401]);
    const [one, other] = [await options(), await options()];
    const same = await Promise.all([
      present(key.get(one, { counter: 9 })),
      present(key.get(other, { counter: 9 })),
    ]);
    expect(same.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  it('a registration has to fit its options, and each challenge is for one account, once (contract 10.2)', async () => {
    const person = await world.person();
    const other = await world.person();
    const key = new Authenticator({ origin });
    const create = async (deviation: Deviation) =>
      add(person.as, key.create(await registration(person.as), deviation));
    const used = key.create(await registration(person.as));
    expect((await add(person.as, used)).status).toBe(201);
    const certificate = map([[text('x5c'), list([bytes(randomBytes(300))])]]);
    const refused: [string, HttpResponse][] = [
      ['used response', await add(person.as, used)],
      ['challenge of another account', await add(person.as, key.create(await registration(other.as)))],
      ['challenge of a sign-in', await create({ challenge: (await options()).challenge })],
      ['foreign origin', await create({ origin: 'http://evil.example' })],
      ['foreign RP ID', await create({ rpId: 'evil.example' })],
      ['no user verification', await create({ verified: false })],
      ['another algorithm', await create({ algorithm: -37 })],
      ['sign-in type', await create({ type: 'webauthn.get' })],
      ['frame of another site', await create({ clientData: { crossOrigin: true } })],
      ['certificates', await create({ attestation: { fmt: 'packed', attStmt: certificate } })],
      ['unknown attestation', await create({ attestation: { fmt: 'tpm', attStmt: map([]) } })],
      ['nothing', await add(person.as, {})],
    ];
    for (const [why, answer] of refused) {
      expect(answer.status, why).toBe(400);
      expectError(answer, 'invalid_passkey');
    }
    expect(await world.ok('GET', '/profile/passkeys', { as: person.as })).toHaveLength(1);
    const taken = await create({ credentialId: key.credentials[0]?.id ?? '' });
    expectError(taken, 'conflict');
  });

  it('names are trimmed and bounded, an account has at most 20 passkeys (contract 10.2)', async () => {
    const { as, key, passkeyId } = await owner();
    for (const name of ['', '  ', 'x'.repeat(101), 'a\u0000b', 'a\nb']) {
      const json = { name };
      expectError(await world.api('PATCH', `/profile/passkeys/${passkeyId}`, { as, json }), 'invalid_name');
      expectError(await add(as, {}, name), 'invalid_name');
    }
    const renamed = await world.api('PATCH', `/profile/passkeys/${passkeyId}`, {
      as,
      json: { name: ' phone ' },
    });
    expect(renamed).toMatchObject({ status: 200, body: { id: passkeyId, name: 'phone' } });
    const last = await registration(as);
    for (let count = 1; count < 20; count += 1) {
      const wanted = await registration(as);
      expect(wanted.excludeCredentials).toHaveLength(count);
      expect((await add(as, key.create(wanted))).status).toBe(201);
    }
    const full = await world.api('POST', '/profile/passkeys/options', { as });
    expectError(full, 'too_many_passkeys');
    expect(full.body.limit).toBe(20);
    expectError(await add(as, key.create(last)), 'too_many_passkeys');
  });

  it('adding, renaming and removing need a fresh sign-in; reading needs none (contract 10.2)', async () => {
    const { passkeyId } = await owner({}, 'Super admin');
    const boss = await owner({}, 'Super admin');
    const pair = await world.pair(boss.as);
    const opened = await world.api('POST', '/auth/dashboard-session', { as: pair.as });
    const limited = cookieOf(opened);
    const calls: [string, string, object?][] = [
      ['POST', '/profile/passkeys/options'],
      ['POST', '/profile/passkeys', { name: 'x', response: {} }],
      ['PATCH', `/profile/passkeys/${boss.passkeyId}`, { name: 'x' }],
      ['DELETE', `/profile/passkeys/${boss.passkeyId}`],
    ];
    for (const [method, path, json] of calls) {
      expectError(await world.api(method, path, { as: limited, json }), 'fresh_sign_in_required');
      expectError(await world.api(method, path, { as: pair.as, json }), 'fresh_sign_in_required');
      expectError(
        await world.api(method, path, { as: await world.bearer(boss.as), json }),
        'fresh_sign_in_required',
      );
    }
    for (const as of [limited, pair.as, boss.as]) {
      expect(await world.ok('GET', '/profile/passkeys', { as })).toMatchObject([{ id: boss.passkeyId }]);
    }
    // A passkey of another account gets the same response as an unknown one.
    const json = { name: 'x' };
    for (const id of [passkeyId, 'x']) {
      expectError(await world.api('PATCH', `/profile/passkeys/${id}`, { as: boss.as, json }), 'not_found');
      expectError(await world.api('DELETE', `/profile/passkeys/${id}`, { as: boss.as }), 'not_found');
    }
  });

  it('a removed passkey signs nobody in, nor does that of a deleted account (contract 10.2)', async () => {
    const one = await owner();
    const removed = await world.api('DELETE', `/profile/passkeys/${one.passkeyId}`, { as: one.as });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expectError(await signIn(one.key), 'invalid credentials');
    expect(await auditOf('authn_passkey_removed', one.passkeyId)).toHaveLength(1);
    const two = await owner();
    await world.ok('DELETE', `/users/${two.id}`, { as: world.root.as });
    expectError(await signIn(two.key), 'invalid credentials');
  });

  it('a removed passkey ends the sign-ins that it opened, and what was minted from them (contract 10.2)', async () => {
    const one = await owner();
    const opened = cookieOf(await signIn(one.key));
    const again = cookieOf(await signIn(one.key));
    const bearer = await world.bearer(opened);
    const own = await world.bearer(one.as);
    expect(await world.asks(bearer)).toBe('200');
    await world.ok('DELETE', `/profile/passkeys/${one.passkeyId}`, { as: again });
    expect(await world.asks(opened)).toBe('401 invalid session');
    expect(await world.asks(again)).toBe('401 invalid session');
    expect(await world.asks(bearer)).toBe('401 invalid token');
    expect([await world.asks(one.as), await world.asks(own)]).toEqual(['200', '200']);
  });

  it('an Admin removes passkeys of Members alone (contract 10.2)', async () => {
    const admin = await world.person('Admin');
    const member = await owner();
    const colleague = await owner({}, 'Admin');
    const path = (of: Owner, id = of.passkeyId) => `/users/${of.id}/passkeys/${id}`;
    const remove = (as: Credentials, at: string) => world.api('DELETE', at, { as });
    expectError(await remove(member.as, path(member)), 'insufficient_role');
    expectError(await remove(admin.as, path(colleague)), 'role_exceeds_yours');
    expectError(await remove(colleague.as, path(colleague)), 'cannot_change_yourself');
    expectError(await remove(admin.as, path(member, colleague.passkeyId)), 'not_found');
    expectError(await remove(admin.as, `/users/x/passkeys/${member.passkeyId}`), 'not_found');
    const listed = await world.ok('GET', `/users/${member.id}/passkeys`, { as: admin.as });
    expect(listed).toMatchObject([{ id: member.passkeyId }]);
    expect((await remove(admin.as, path(member))).status).toBe(204);
    expectError(await signIn(member.key), 'invalid credentials');
    expect((await remove(world.root.as, path(colleague))).status).toBe(204);
  });

  it('a passkey makes a sign-in fresh again, that of another account does not (contract 10, 10.2)', async () => {
    const { key, as } = await owner();
    const prove = (response: object, of = as) =>
      world.api('POST', '/auth/reauthenticate', { as: of, json: { response } });
    const response = key.get(await options());
    const proved = await prove(response);
    expect([proved.status, proved.text]).toEqual([204, '']);
    expect(proved.headers['set-cookie']?.[0] ?? '').not.toContain('Max-Age=0');
    const other = await owner();
    for (const wrong of [
      response,
      {},
      other.key.get(await options()),
      key.get(await options(), { counter: 1 }),
    ]) {
      expectError(await prove(wrong), 'incorrect current password');
    }
    expect(await world.asks(as)).toBe('200');
  });

  it('options and sign-ins need an own page (contract 10.2)', async () => {
    for (const path of ['/auth/passkey/options', '/auth/passkey']) {
      for (const stated of [null, 'http://evil.example']) {
        const answer = await world.api('POST', path, { json: { response: {} }, headers: { origin: stated } });
        expect(answer.status).toBe(403);
        expect(answer.body.error).toMatch(/^CSRF: /);
      }
    }
  });
});
