import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';

describe.each(targets)('trust rules on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let admin2: Person;

  beforeAll(async () => {
    world = await World.start(start);
    [admin, admin2] = [await world.person('Admin'), await world.person('Admin')];
  });
  afterAll(() => world.server.stop());

  const rule = {
    name: 'nightly',
    issuer: 'https://ci.example',
    audience: 'https://lab.example',
    claims: [{ claim: 'repository_id', anyOf: ['74'] }],
    scopes: ['sessions', 'read'],
  };
  const create = (as: Credentials, json: object = {}) =>
    world.api('POST', '/trust-rules', { as, json: { ...rule, ...json } });

  it('trust rules are created with defaults and listed newest first, without a secret (contract 10.3)', async () => {
    const first = await create(admin.as);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      ...rule,
      id: expect.any(String),
      owner: { id: admin.id, email: admin.email },
      jwks: null,
      scopes: ['read', 'sessions'],
      teamId: null,
      maxMinutes: 60,
      paused: false,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUsedAt: null,
      expiresAt: null,
      runs: [],
    });
    const second = await create(world.root.as, { name: 'second' });
    const all = await world.ok('GET', '/trust-rules', { as: admin.as });
    expect(all.slice(0, 2)).toEqual([second.body, first.body]);
  });

  it.each([
    ['issuer', { issuer: 'http://ci.example' }],
    ['issuer', { issuer: 'ci.example' }],
    ['issuer', { issuer: 'https://ci.example/?a=b' }],
    ['issuer', { issuer: 'https://user@ci.example' }],
    ['issuer', { issuer: 'ftp://127.0.0.1' }],
    ['issuer', { issuer: 'http://127.0.0.1.example.com' }],
    ['claims', { claims: [] }],
    ['claims', { claims: undefined }],
    ['claims', { claims: [{ claim: 'ref', anyOf: [] }] }],
    ['claims', { claims: [{ claim: '', anyOf: ['a'] }] }],
    ['claims', { claims: [{ claim: 'aud', anyOf: ['a'] }] }],
    ['claims', { claims: [{ claim: 'id', anyOf: [2 ** 53] }] }],
    ['claims', { claims: [...rule.claims, ...rule.claims] }],
    ['claims', { claims: Array.from({ length: 17 }, (_, at) => ({ claim: `c${at}`, anyOf: ['a'] })) }],
    ['claims', { claims: [{ claim: 'ref', anyOf: Array.from({ length: 65 }, String) }] }],
    ['claims', { claims: [{ claim: 'ref', anyOf: ['a'.repeat(513)] }] }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['everything'] }],
    ['maxMinutes', { maxMinutes: 0 }],
    ['maxMinutes', { maxMinutes: 721 }],
    ['maxMinutes', { maxMinutes: 1.5 }],
    ['teamId', { teamId: 'no such team' }],
    ['name', { name: ' ' }],
    ['audience', { audience: '' }],
    ['jwks', { jwks: {} }],
    ['jwks', { jwks: { keys: [] } }],
    ['jwks', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
    ['jwks', { jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'eA', d: 'ZA' }] } }],
    ['jwks', { jwks: { keys: [{ kty: 'EC', crv: 'P-384', x: 'eA', y: 'eA' }] } }],
  ])('trust rules are refused: unusable %s %j (contract 10.3)', async (field, change) => {
    const answer = await create(admin.as, change);
    expectError(answer, 'invalid_rule');
    expect(answer.body.field).toBe(field);
  });

  it.each([
    [GITHUB, ['repository_id', 'repository_owner_id']],
    [`${GITHUB}/acme`, ['repository_id', 'repository_owner_id']],
    ['https://gitlab.com', ['project_id', 'namespace_id']],
    ['https://GITLAB.com/', ['project_id', 'namespace_id']],
    ['https://agent.buildkite.com', ['organization_id', 'pipeline_id']],
  ])('%s: a rule pins an id of a tenant that never changes (contract 10.3)', async (issuer, ids) => {
    for (const claim of ['sub', 'repository', 'project_path', 'organization_slug']) {
      const answer = await create(admin.as, { issuer, claims: [{ claim, anyOf: ['a'] }] });
      expectError(answer, 'invalid_rule');
      expect(answer.body.field).toBe('claims');
    }
    for (const claim of ids) {
      const claims = [{ claim, anyOf: ['74'] }];
      expect((await create(admin.as, { issuer, claims })).status).toBe(201);
    }
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://localhost:8080/ci',
    'http://[::1]:8080',
    'https://10.0.0.1/gitlab',
  ])('the issuer %s is accepted (contract 10.3)', async (issuer) => {
    expect((await create(admin.as, { issuer })).status).toBe(201);
  });

  it('trust rules have no scope that the credential lacks, and end with a credential that ends (contract 10.3)', async () => {
    const key = await world.apiKey(admin.as, { scopes: ['admin'] });
    expect((await create(key.as, { scopes: ['admin', 'devices'] })).status).toBe(201);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const short = await world.apiKey(admin.as, { scopes: ['admin'], expiresAt });
    expect((await create(short.as)).body.expiresAt).toBe(expiresAt);
  });

  it('trust rules are renamed, paused, resumed and deleted (contract 10.3)', async () => {
    const { id } = (await create(admin.as)).body;
    const patch = (json: object) => world.api('PATCH', `/trust-rules/${id}`, { as: admin.as, json });
    expect((await patch({})).body).toMatchObject({ name: 'nightly', paused: false });
    expect((await patch({ name: ' weekly ', paused: true })).body).toMatchObject({
      id,
      name: 'weekly',
      paused: true,
    });
    expect((await patch({ paused: false })).body).toMatchObject({ name: 'weekly', paused: false });
    const bad = await patch({ name: '' });
    expectError(bad, 'invalid_rule');
    expect(bad.body.field).toBe('name');
    expectError(await patch({ scopes: ['admin'] }), 'bad_request');
    expect((await world.api('DELETE', `/trust-rules/${id}`, { as: admin.as })).status).toBe(204);
    expectError(await world.api('DELETE', `/trust-rules/${id}`, { as: admin.as }), 'not_found');
    expectError(await patch({ paused: true }), 'not_found');
  });

  it('an Admin does not touch the rules of a Super admin or of another Admin (contract 10.3)', async () => {
    for (const owner of [world.root, admin2]) {
      const { id } = (await create(owner.as)).body;
      const json = { paused: true };
      expectError(
        await world.api('PATCH', `/trust-rules/${id}`, { as: admin.as, json }),
        'role_exceeds_yours',
      );
      expectError(await world.api('DELETE', `/trust-rules/${id}`, { as: admin.as }), 'role_exceeds_yours');
      expect((await world.api('DELETE', `/trust-rules/${id}`, { as: world.root.as })).status).toBe(204);
    }
  });

  it('trust rules are for Admins with the scope admin, and are audited (contract 10.3)', async () => {
    const member = await world.person();
    expectError(await create(member.as), 'insufficient_role');
    const reader = await world.apiKey(admin.as, { scopes: ['read'] });
    expectError(await create(reader.as), 'insufficient_scope');
    const { id } = (await create(admin.as)).body;
    const { items } = await world.ok('GET', '/audit?limit=20', { as: admin.as });
    expect(items).toContainEqual(
      expect.objectContaining({ event: 'authz_admin', actor: admin.id, target: id }),
    );
  });
});
