import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, call } from './support/call.ts';
import { ENTRA, OKTA } from './support/scim-bodies.ts';
import { type Credentials, targets, World } from './support/world.ts';

const PUBLIC_URL = 'https://lab.example.com';
const BASE = `${PUBLIC_URL}/svc/scim/v2`;
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const TYPE = 'application/scim+json; charset=utf-8';

describe.each(targets)('SCIM on $name', ({ start }) => {
  let world: World;
  let key: Credentials;
  let people = 0;

  beforeAll(async () => {
    world = await World.start(start, { SVC_PUBLIC_URL: PUBLIC_URL });
    key = await newKey();
  });
  afterAll(() => world.server.stop());

  async function newKey(input: object = {}): Promise<Credentials> {
    const json = { name: 'idp', kind: 'scim', rateLimit: 100_000, ...input };
    const { token } = await world.ok('POST', '/apikeys', { as: world.root.as, json });
    return { authorization: `Bearer ${token}` };
  }
  const scim = (method: string, path: string, json?: unknown, options: CallOptions = {}) =>
    call(world.url, method, `/svc/scim/v2${path}`, {
      as: key,
      ...options,
      headers: { origin: null, ...(json === undefined ? {} : { 'content-type': TYPE }), ...options.headers },
      ...(json === undefined ? {} : { json }),
    });
  const newName = () => `scim-${++people}@lab.test`;
  const create = async (json: object = {}) => {
    const answer = await scim('POST', '/Users', { schemas: [USER], userName: newName(), ...json });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const account = async (id: string) => {
    const all = await world.ok('GET', '/users', { as: world.root.as });
    return all.find((user: { id: string }) => user.id === id);
  };
  const expectScimError = (
    answer: Awaited<ReturnType<typeof scim>>,
    status: number,
    scimType?: string,
  ): void => {
    expect(answer.body, answer.text).toEqual({
      schemas: [ERROR],
      status: String(status),
      ...(scimType === undefined ? {} : { scimType }),
      detail: expect.any(String),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe(TYPE);
    expect(answer.headers['cache-control']).toBe('no-store');
  };

  describe('the key', () => {
    it('the SCIM key is made by a Super admin alone, has no scopes, and is listed with its kind (contract 10.5)', async () => {
      const admin = await world.person('Admin');
      const json = { name: 'of an Admin', kind: 'scim' };
      const refused = await world.api('POST', '/apikeys', { as: admin.as, json });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ error: 'insufficient_role', required: 'Super admin' });
      for (const scopes of [undefined, [], ['admin']]) {
        const made = await world.api('POST', '/apikeys', {
          as: world.root.as,
          json: { name: 'Entra', kind: 'scim', scopes },
        });
        expect(made.status).toBe(201);
        expect(made.body).toEqual({
          ...{
            id: expect.any(String),
            name: 'Entra',
            scopes: [],
            rateLimit: 300,
            teamId: null,
            expiresAt: null,
          },
          token: expect.stringMatching(/^svct_[0-9A-Za-z]{49}$/),
        });
        const all = await world.ok('GET', '/apikeys', { as: world.root.as });
        expect(all.find(({ id }: { id: string }) => id === made.body.id)).toMatchObject({
          kind: 'scim',
          scopes: [],
          owner: { id: world.root.id },
        });
      }
      const other = await world.api('POST', '/apikeys', {
        as: world.root.as,
        json: { name: 'x', kind: 'profile', scopes: ['read'] },
      });
      expect(other.status).toBe(400);
    });

    it('the SCIM key opens nothing else: no route, no session, no dashboard (contract 10.5)', async () => {
      const { accessKey } = await world.ok('GET', '/profile/access-key', { as: world.root.as });
      const token = String(key.authorization).slice('Bearer '.length);
      const pair = { 'x-svc-access-key': accessKey, 'x-svc-token': token };
      for (const [as, error] of [
        [pair, 'invalid credentials'],
        [key, 'invalid token'],
      ] as const) {
        for (const [method, path] of [
          ['GET', '/auth/me'],
          ['POST', '/auth/token'],
          ['POST', '/auth/dashboard-session'],
          ['GET', '/users'],
          ['POST', '/profile/tokens'],
        ] as const) {
          const answer = await world.api(method, path, { as, json: {} });
          expect([path, answer.status, answer.body.error]).toEqual([path, 401, error]);
        }
      }
    });

    it('the SCIM key is needed: 401 for everybody else, also for other credentials of a Super admin (contract 10.5)', async () => {
      const pair = await world.pair(world.root.as);
      const bearer = await world.bearer(pair.as);
      const apiKey = { authorization: `Bearer ${pair.token}` };
      const wrong = { authorization: `Bearer svct_${'0'.repeat(49)}` };
      for (const as of [{}, world.root.as, pair.as, bearer, apiKey, wrong, { authorization: 'Bearer ' }]) {
        for (const [method, path] of [
          ['GET', '/Users'],
          ['GET', '/ServiceProviderConfig'],
          ['DELETE', `/Users/${world.root.id}`],
        ] as const) {
          const answer = await scim(method, path, undefined, { as });
          expectScimError(answer, 401);
          expect(answer.headers['www-authenticate']).toBe('Bearer');
        }
      }
    });

    it('the SCIM key ends when it is revoked, and when its owner is no Super admin any more (contract 10.5)', async () => {
      const made = await world.ok('POST', '/apikeys', {
        as: world.root.as,
        json: { name: 'x', kind: 'scim' },
      });
      const as = { authorization: `Bearer ${made.token}` };
      expect((await scim('GET', '/Users?count=0', undefined, { as })).status).toBe(200);
      await world.ok('DELETE', `/apikeys/${made.id}`, { as: world.root.as });
      expectScimError(await scim('GET', '/Users?count=0', undefined, { as }), 401);

      // Anyone who finds the key can revoke it without an account.
      const found = await newKey();
      const revoked = await call(world.url, 'POST', '/svc/oauth/revoke', {
        body: `token=${String(found.authorization).slice('Bearer '.length)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: null },
      });
      expect(revoked.status).toBe(200);
      expectScimError(await scim('GET', '/Users?count=0', undefined, { as: found }), 401);

      const boss = await world.person('Super admin');
      const own = await world.ok('POST', '/apikeys', { as: boss.as, json: { name: 'x', kind: 'scim' } });
      const ofBoss = { authorization: `Bearer ${own.token}` };
      const asBoss = () => scim('GET', '/Users?count=0', undefined, { as: ofBoss });
      expect((await asBoss()).status).toBe(200);
      const change = (json: object) => world.ok('PATCH', `/users/${boss.id}`, { as: world.root.as, json });
      await change({ role: 'Admin' });
      expectScimError(await asBoss(), 403);
      await change({ role: 'Super admin', status: 'Inactive' });
      expectScimError(await asBoss(), 401);
    });
  });

  describe('who leaves', () => {
    it.each([
      ['Entra: Replace, "False"', ENTRA.disable],
      ['Entra: without a path', ENTRA.disableWithoutPath],
      ['Okta: without a path', OKTA.deactivateByPatch],
      ['a text in lower case', { Operations: [{ op: 'add', path: 'active', value: 'false' }] }],
      ['a boolean', { Operations: [{ op: 'REPLACE', path: 'ACTIVE', value: false }] }],
      [
        'with the name of the schema',
        { Operations: [{ op: 'replace', path: `${USER}:active`, value: false }] },
      ],
      ['a text without a path', { operations: [{ OP: 'Replace', Value: { Active: 'FALSE' } }] }],
    ])(
      'a person who leaves becomes Inactive, and all their credentials stop: %s (contract 10.5)',
      async (_what, body) => {
        const person = await world.person('Member');
        const pair = await world.pair(person.as);
        const bearer = await world.bearer(pair.as);
        for (const as of [person.as, pair.as, bearer]) expect(await world.asks(as)).toBe('200');
        const answer = await scim('PATCH', `/Users/${person.id}`, body);
        expect(answer.status, answer.text).toBe(200);
        expect(answer.body).toMatchObject({ id: person.id, active: false, userName: person.email });
        expect((await account(person.id)).status).toBe('Inactive');
        for (const as of [person.as, pair.as, bearer]) expect(await world.asks(as)).toMatch(/^401/);

        const back = await scim('PATCH', `/Users/${person.id}`, ENTRA.enable);
        expect(back.body.active).toBe(true);
        expect(await world.asks(pair.as)).toBe('200');
        // The old sign-in has ended, so the person has to sign in again.
        expect(await world.asks(person.as)).toBe('401 invalid session');
      },
    );

    it('Okta deactivates by PUT with the whole user (contract 10.5)', async () => {
      const userName = newName();
      const made = await scim('POST', '/Users', OKTA.create(userName), {
        headers: { 'content-type': 'application/json' },
      });
      expect(made.status).toBe(201);
      const { body } = await scim('GET', `/Users/${made.body.id}`);
      const put = await scim('PUT', `/Users/${made.body.id}`, OKTA.deactivate(body));
      expect(put.status, put.text).toBe(200);
      expect(put.body).toEqual({ ...body, active: false });
      expect((await account(made.body.id)).status).toBe('Inactive');
    });

    it('an Admin, too, but never a Super admin: 403 (contract 10.5)', async () => {
      const admin = await world.person('Admin');
      expect((await scim('PATCH', `/Users/${admin.id}`, ENTRA.disable)).body.active).toBe(false);
      expect(await account(admin.id)).toMatchObject({ status: 'Inactive', role: 'Admin' });
      const boss = await world.person('Super admin');
      const { body } = await scim('GET', `/Users/${boss.id}`);
      expect(body).toMatchObject({ userName: boss.email, active: true });
      expectScimError(await scim('PATCH', `/Users/${boss.id}`, ENTRA.disable), 403);
      expectScimError(await scim('PATCH', `/Users/${boss.id}`, ENTRA.rename), 403);
      expectScimError(await scim('PUT', `/Users/${boss.id}`, OKTA.deactivate(body)), 403);
      expectScimError(await scim('DELETE', `/Users/${boss.id}`), 403);
      expect(await account(boss.id)).toMatchObject({ status: 'Active', name: body.displayName });
    });

    it('SCIM activates accounts that it made Inactive, and none that an admin made Inactive (contract 10.5)', async () => {
      const admin = await world.person('Admin');
      const set = (status: string) =>
        world.ok('PATCH', `/users/${admin.id}`, { as: world.root.as, json: { status } });
      const path = `/Users/${admin.id}`;
      expect((await scim('PATCH', path, ENTRA.disable)).body.active).toBe(false);
      expect((await scim('PATCH', path, ENTRA.enable)).body.active).toBe(true);
      await set('Inactive');
      const refused = await scim('PATCH', path, ENTRA.enable);
      expectScimError(refused, 403);
      expect(refused.body.detail).toBe('SCIM does not activate a user whom somebody made Inactive by hand');
      expect((await scim('PATCH', path, ENTRA.disable)).body.active).toBe(false);
      expectScimError(await scim('PATCH', path, ENTRA.enable), 403);
      await set('Active');
      await scim('PATCH', path, ENTRA.disable);
      await set('Inactive');
      expectScimError(await scim('PATCH', path, ENTRA.enable), 403);
      expect((await account(admin.id)).status).toBe('Inactive');
    });

    it('DELETE makes Inactive, and the user is gone for the provider (contract 10.5)', async () => {
      const person = await world.person('Member');
      expect((await scim('DELETE', `/Users/${person.id}`)).status).toBe(204);
      expect((await account(person.id)).status).toBe('Inactive');
      expect(await world.asks(person.as)).toBe('401 invalid session');
      expectScimError(await scim('GET', `/Users/${person.id}`), 404);
      expectScimError(await scim('DELETE', `/Users/${person.id}`), 404);
      expectScimError(await scim('PATCH', `/Users/${person.id}`, ENTRA.disable), 404);
      const found = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${person.email}"`)}`);
      expect(found.body.totalResults).toBe(0);
      // The provider can activate the account again.
      expect((await scim('PATCH', `/Users/${person.id}`, ENTRA.enable)).body.active).toBe(true);
      expect((await scim('GET', `/Users/${person.id}`)).status).toBe(200);
    });

    it('a new user with the address of a deleted one gets nothing of that account (contract 10.5)', async () => {
      const person = await world.person('Member');
      const pair = await world.pair(person.as);
      await scim('DELETE', `/Users/${person.id}`);
      const made = await create({ userName: person.email });
      expect(made.id).not.toBe(person.id);
      expect(await world.asks(pair.as)).toMatch(/^401/);
      expect(await account(person.id)).toBeUndefined();
    });

    it('a user who was made Inactive by hand does not come back as a new one after a DELETE (contract 10.5)', async () => {
      const person = await world.person('Member');
      const json = { status: 'Inactive' };
      await world.ok('PATCH', `/users/${person.id}`, { as: world.root.as, json });
      expect((await scim('DELETE', `/Users/${person.id}`)).status).toBe(204);
      const again = await scim('POST', '/Users', { userName: person.email });
      expectScimError(again, 403);
      expect(again.body.detail).toBe('SCIM does not activate a user whom somebody made Inactive by hand');
      expect(await account(person.id)).toMatchObject({ status: 'Inactive' });
      expectScimError(await scim('PATCH', `/Users/${person.id}`, ENTRA.enable), 403);
    });

    it('every change is in the audit trail, with the owner of the key as its actor (contract 10.5)', async () => {
      const { id } = await create();
      await scim('PATCH', `/Users/${id}`, ENTRA.disable);
      const { items } = await world.ok('GET', '/audit?limit=500', { as: world.root.as });
      const rows = items.filter(({ target }: { target: string }) => target === id);
      expect(rows.map(({ event, actor, reason }: Record<string, string>) => [event, actor, reason])).toEqual([
        ['user_updated', world.root.id, 'status Active to Inactive, by SCIM'],
        ['user_created', world.root.id, 'role Member, Active, by SCIM'],
      ]);
    });
  });

  describe('users', () => {
    it('POST makes a Member without a password (contract 10.5)', async () => {
      const userName = newName();
      const answer = await scim('POST', '/Users', ENTRA.create(userName));
      expect(answer.status).toBe(201);
      const { id } = answer.body;
      expect(answer.headers.location).toBe(`${BASE}/Users/${id}`);
      expect(answer.body).toEqual({
        schemas: [USER],
        id,
        externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
        userName,
        name: { formatted: 'Bea Leaver' },
        displayName: 'Bea Leaver',
        active: true,
        emails: [{ value: userName, type: 'work', primary: true }],
        meta: { resourceType: 'User', created: expect.any(String), location: `${BASE}/Users/${id}` },
      });
      expect(await account(id)).toMatchObject({
        ...{ email: userName, name: 'Bea Leaver', role: 'Member', status: 'Active', teams: [] },
      });
      const signIn = await world.api('POST', '/auth/login', { json: { email: userName, password: '' } });
      expect(signIn.status).toBe(400);
      const guess = await world.api('POST', '/auth/login', {
        json: { email: userName, password: 'Bea Leaver' },
      });
      expect([guess.status, guess.body.error]).toEqual([401, 'invalid credentials']);
      expect((await scim('GET', `/Users/${id}`)).body).toEqual(answer.body);
    });

    it('the password and the roles that a provider sends are ignored (contract 10.5)', async () => {
      const userName = newName();
      const { id } = await create({
        ...OKTA.create(userName),
        role: 'Super admin',
        roles: [{ value: 'Admin' }],
      });
      expect((await account(id)).role).toBe('Member');
      const { password } = OKTA.create(userName);
      expect((await world.api('POST', '/auth/login', { json: { email: userName, password } })).status).toBe(
        401,
      );
    });

    it('a taken name is 409 uniqueness, in any letter case (contract 10.5)', async () => {
      const { userName } = await create();
      const twice = await scim('POST', '/Users', { userName: userName.toUpperCase() });
      expectScimError(twice, 409, 'uniqueness');
      const both = await Promise.all(
        Array.from({ length: 4 }, () => scim('POST', '/Users', { userName: 'race@lab.test' })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    });

    it.each([
      ['no user name', {}, 'invalidValue'],
      ['no e-mail address', { userName: 'bjensen' }, 'invalidValue'],
      ['a user name that is no text', { userName: 7 }, 'invalidValue'],
      ['active that is no boolean', { userName: 'a@lab.test', active: 'maybe' }, 'invalidValue'],
      ['active that is a number', { userName: 'a@lab.test', active: 0 }, 'invalidValue'],
      ['a name that is too long', { userName: 'a@lab.test', displayName: 'x'.repeat(101) }, 'invalidValue'],
      [
        'an external id that is too long',
        { userName: 'a@lab.test', externalId: 'x'.repeat(256) },
        'invalidValue',
      ],
      ['an attribute twice', { userName: 'a@lab.test', UserName: 'b@lab.test' }, 'invalidSyntax'],
      ['a list', [], 'invalidSyntax'],
    ])('a body with %s is refused (contract 10.5)', async (_what, json, scimType) => {
      expectScimError(await scim('POST', '/Users', json), 400, scimType);
    });

    it('a body that is no JSON, too large or of another type is refused (contract 10)', async () => {
      const send = (body: string, type = TYPE) =>
        scim('POST', '/Users', undefined, { body, headers: { 'content-type': type } });
      expectScimError(await send('{'), 400, 'invalidSyntax');
      expectScimError(await send(`{"userName":"${'x'.repeat(1024 * 1024)}"}`), 413);
      expectScimError(await send('<user/>', 'application/xml'), 415);
    });

    it('the e-mail address does not change, but the name and the external id do (contract 10.5)', async () => {
      const { id, userName } = await create({ displayName: 'Old' });
      const patch = (...Operations: object[]) => scim('PATCH', `/Users/${id}`, { Operations });
      expectScimError(
        await patch({ op: 'replace', path: 'userName', value: 'admin2@lab.test' }),
        400,
        'mutability',
      );
      expectScimError(await scim('PUT', `/Users/${id}`, { userName: 'admin2@lab.test' }), 400, 'mutability');
      const same = await patch({ op: 'replace', path: 'userName', value: userName.toUpperCase() });
      expect(same.status).toBe(200);
      expect((await scim('PATCH', `/Users/${id}`, ENTRA.rename)).body).toMatchObject({
        ...{ displayName: 'Bea Stayer', userName, emails: [{ value: userName }] },
      });
      expect((await scim('PATCH', `/Users/${id}`, ENTRA.renameWithoutPath)).body.displayName).toBe('Bea B.');
      expect((await account(id)).name).toBe('Bea B.');
      const external = await patch({ op: 'add', path: 'externalId', value: 'E-7' });
      expect(external.body.externalId).toBe('E-7');
      const without = await patch(
        { op: 'remove', path: 'externalId' },
        { op: 'remove', path: 'displayName' },
      );
      expect(without.body).not.toHaveProperty('externalId');
      expect(without.body).not.toHaveProperty('displayName');
      expect((await account(id)).name).toBe(userName);
    });

    it.each([
      ['no operations', {}, 'invalidSyntax'],
      ['an empty list', { Operations: [] }, 'invalidSyntax'],
      ['an unknown operation', { Operations: [{ op: 'move', path: 'active' }] }, 'invalidSyntax'],
      ['a bad path', { Operations: [{ op: 'replace', path: 'active[', value: false }] }, 'invalidPath'],
      [
        'a part of an attribute',
        { Operations: [{ op: 'replace', path: 'active.x', value: 1 }] },
        'invalidPath',
      ],
      ['a path that is no text', { Operations: [{ op: 'replace', path: 7, value: 1 }] }, 'invalidPath'],
      ['a read-only attribute', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }, 'mutability'],
      ['the removal of active', { Operations: [{ op: 'remove', path: 'active' }] }, 'mutability'],
      ['the removal of nothing', { Operations: [{ op: 'remove' }] }, 'noTarget'],
      ['no value', { Operations: [{ op: 'replace', path: 'active' }] }, 'invalidValue'],
      ['a bad value', { Operations: [{ op: 'replace', path: 'active', value: 'no' }] }, 'invalidValue'],
      ['too many', { Operations: Array(101).fill({ op: 'remove', path: 'title' }) }, 'invalidValue'],
    ])('a PATCH with %s changes nothing (contract 10.5)', async (_what, json, scimType) => {
      const { id } = await create();
      expectScimError(await scim('PATCH', `/Users/${id}`, json), 400, scimType);
      expect((await account(id)).status).toBe('Active');
    });

    it('an unknown user is 404 for every method (contract 10.5)', async () => {
      for (const id of ['11111111-1111-4111-8111-111111111111', 'x', '%00']) {
        expectScimError(await scim('GET', `/Users/${id}`), 404);
        expectScimError(await scim('DELETE', `/Users/${id}`), 404);
        expectScimError(await scim('PATCH', `/Users/${id}`, ENTRA.disable), 404);
        expectScimError(await scim('PUT', `/Users/${id}`, { userName: 'a@lab.test' }), 404);
      }
    });
  });

  describe('the list', () => {
    const find = (filter: string, rest = '') =>
      scim('GET', `/Users?filter=${encodeURIComponent(filter)}${rest}`);

    it('the SCIM list of users finds a user name in any letter case and an external id in its own (contract 10.5)', async () => {
      const { id, userName } = await create({ externalId: 'Ext "1"' });
      for (const filter of [
        `userName eq "${userName}"`,
        `USERNAME Eq "${userName.toUpperCase()}"`,
        `${USER}:userName eq "${userName}"`,
        'externalId eq "Ext \\"1\\""',
        'externalid eq "\\u0045xt \\"1\\""',
      ]) {
        const { body } = await find(filter);
        expect([filter, body.totalResults]).toEqual([filter, 1]);
        expect(body).toMatchObject({ schemas: [LIST], startIndex: 1, itemsPerPage: 1, Resources: [{ id }] });
      }
      expect((await find('externalId eq "ext \\"1\\""')).body).toMatchObject({
        totalResults: 0,
        Resources: [],
      });
      expect((await find('userName eq "nobody@lab.test"')).body).toMatchObject({ totalResults: 0 });
    });

    it.each([
      'userName',
      'userName eq',
      'userName eq nobody',
      "userName eq 'nobody'",
      'userName ne "a"',
      'userName co "a"',
      'userName eq "a" and active eq true',
      'displayName eq "a"',
      'userName eq "a',
      'userName eq "\\x"',
      '',
      `userName eq "${'a'.repeat(1100)}"`,
    ])('the SCIM list of users refuses the filter %j: 400 invalidFilter (contract 10.5)', async (filter) => {
      expectScimError(await find(filter), 400, 'invalidFilter');
    });

    it('the SCIM list of users comes in pages that together are everybody (contract 10.5)', async () => {
      for (let each = 0; each < 3; each += 1) await create();
      const { body: none } = await scim('GET', '/Users?count=0');
      expect(none).toMatchObject({ itemsPerPage: 0, Resources: [] });
      const seen: string[] = [];
      for (let start = 1; start <= none.totalResults; start += 4) {
        const { body } = await scim('GET', `/Users?startIndex=${start}&count=4`);
        expect(body).toMatchObject({ startIndex: start, totalResults: none.totalResults });
        expect(body.itemsPerPage).toBe(body.Resources.length);
        seen.push(...body.Resources.map(({ id }: { id: string }) => id));
      }
      expect(new Set(seen).size).toBe(none.totalResults);
      const status = async (query: string) => (await scim('GET', `/Users?${query}`)).body;
      expect(await status('startIndex=0&count=1')).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
      expect(await status('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
      expect((await status('startIndex=999999999')).Resources).toEqual([]);
      expect((await status('count=999999999')).itemsPerPage).toBeLessThanOrEqual(200);
      for (const query of ['count=x', 'startIndex=1.5', 'count=1&count=2', 'startIndex='])
        expectScimError(await scim('GET', `/Users?${query}`), 400, 'invalidValue');
    });

    it('the SCIM list of users shows the attributes that are asked for (contract 10)', async () => {
      const { id } = await create({ displayName: 'Some One' });
      const some = await scim('GET', `/Users/${id}?attributes=userName,name.formatted`);
      expect(Object.keys(some.body).sort()).toEqual(['id', 'name', 'schemas', 'userName']);
      const fewer = await scim('GET', `/Users/${id}?excludedAttributes=emails,meta.created,id`);
      expect(Object.keys(fewer.body)).not.toContain('emails');
      expect(fewer.body).toMatchObject({ id, meta: { resourceType: 'User' } });
      expect(fewer.body.meta).not.toHaveProperty('created');
      expectScimError(await scim('GET', '/Users?attributes=id&excludedAttributes=name'), 400, 'invalidValue');
    });
  });

  it('SCIM describes itself: /ServiceProviderConfig, /ResourceTypes, /Schemas (contract 10.5)', async () => {
    const config = await scim('GET', '/ServiceProviderConfig');
    expect(config.headers['content-type']).toBe(TYPE);
    expect(config.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    const types = await scim('GET', '/ResourceTypes');
    expect(types.body).toMatchObject({
      schemas: [LIST],
      totalResults: 1,
      Resources: [{ id: 'User', endpoint: '/Users', schema: USER }],
    });
    expect((await scim('GET', '/ResourceTypes/User')).body).toEqual(types.body.Resources[0]);
    const schemas = await scim('GET', '/Schemas');
    expect(schemas.body).toMatchObject({ totalResults: 1, Resources: [{ id: USER, name: 'User' }] });
    expect((await scim('GET', `/Schemas/${USER}`)).body).toEqual(schemas.body.Resources[0]);
    for (const path of ['/ResourceTypes/Group', '/Schemas/x', '/Groups', '/Bulk', '/'])
      expectScimError(await scim('GET', path), 404);
    expectScimError(await scim('GET', '/Schemas?filter=id%20eq%20%22x%22'), 403);
    const post = await scim('POST', '/Schemas', {});
    expectScimError(post, 405);
    expect(post.headers.allow).toBe('GET');
  });
});

describe.each(targets)('SCIM without a public address on $name', ({ start }) => {
  it('SCIM without a public address is not there (contract 10)', async () => {
    const world = await World.start(start);
    const { token } = await world.ok('POST', '/apikeys', {
      as: world.root.as,
      json: { name: 'x', kind: 'scim' },
    });
    const as = { authorization: `Bearer ${token}` };
    const answer = await call(world.url, 'GET', '/svc/scim/v2/Users', { as });
    expect([answer.status, answer.body.schemas]).toEqual([404, [ERROR]]);
    await world.server.stop();
  });
});
