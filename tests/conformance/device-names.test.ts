import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const DEVICES = [{ udid: 'first', name: 'Pixel 8', platform: 'Android', osVersion: '14' }];

describe.each(targets)('the name and the note of a phone on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let member: Person;

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    admin = await world.person('Admin');
    member = await world.person();
  });
  afterAll(() => world.server.stop());

  const put = (json: object, as: Credentials = admin.as, udid = 'first') =>
    world.api('PUT', `/device/${udid}`, { as, json });
  const phone = async () => (await world.ok('GET', '/devices', { as: member.as }))[0];

  it('the name and the note of a phone are set by an Admin, shown to everyone who sees the phone, and cleared with null or an empty text (contract 17.1)', async () => {
    expect(await phone()).toMatchObject({ name: 'Pixel 8', note: null });
    const set = await put({ name: ' Shelf 3 ', note: 'Its home key\nis worn out.' });
    const expected = { udid: 'first', name: 'Shelf 3', note: 'Its home key\nis worn out.' };
    expect([set.status, set.body]).toEqual([200, expect.objectContaining(expected)]);
    expect(await phone()).toMatchObject(expected);
    expect((await put({ name: null })).body).toMatchObject({ name: 'Pixel 8', note: expected.note });
    expect((await put({ note: '  ' })).body).toMatchObject({ name: 'Pixel 8', note: null });
    expect((await put({})).body).toMatchObject({ name: 'Pixel 8', note: null });
    const { items } = await world.ok('GET', '/audit?limit=20', { as: admin.as });
    expect(items).toContainEqual(
      expect.objectContaining({
        event: 'authz_admin',
        target: 'first',
        reason: 'device: givenName, note changed',
      }),
    );
  });

  it('the name and the note of a phone are refused from Members, without the scope admin, for unknown phones and as unusable text (contract 17.1)', async () => {
    expectError(await put({ name: 'x' }, member.as), 'insufficient_role');
    expectError(await put({ name: 'x' }, (await world.pair(admin.as)).as), 'insufficient_scope');
    expectError(await put({ name: 'x' }, admin.as, 'unknown'), 'not_found');
    for (const json of [
      { name: 'x'.repeat(101) },
      { note: 'x'.repeat(2_001) },
      { name: 'two\nlines' },
      { note: 'a bell \u0007' },
      { name: 7 },
      { title: 'x' },
    ])
      expectError(await put(json), 'bad_request');
    expect(await phone()).toMatchObject({ name: 'Pixel 8', note: null });
  });
});
