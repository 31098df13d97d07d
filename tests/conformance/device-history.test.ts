import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Person, targets, World } from './support/world.ts';

const DEVICES = [{ udid: 'first', name: 'Pixel 8', platform: 'Android', osVersion: '14' }];

describe.each(targets)('the history of a phone on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let member: Person;

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    admin = await world.person('Admin');
    member = await world.person();
  });
  afterAll(() => world.server.stop());

  it('the history of a phone is empty at first, and not found for a phone that the caller does not see (contract 17.2)', async () => {
    const path = '/device/first/history';
    const empty = { probes: [], days: [], failureRate: null };
    expect(await world.ok('GET', path, { as: member.as })).toEqual(empty);
    const [phone] = await world.ok('GET', '/devices', { as: member.as });
    expect(phone.failureRate).toBeNull();
    expectError(await world.api('GET', '/device/unknown/history', { as: admin.as }), 'not_found');
    const team = await world.api('POST', '/teams', { as: admin.as, json: { name: 'Payments' } });
    const json = { teamId: team.body.id };
    expect((await world.api('PUT', '/device/first/team', { as: admin.as, json })).status).toBe(200);
    expectError(await world.api('GET', path, { as: member.as }), 'not_found');
    expect(await world.ok('GET', path, { as: admin.as })).toEqual(empty);
  });
});
