import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/records.ts';
import { expectError } from './support/errors.ts';
import { type Person, targets, World } from './support/world.ts';

const DEVICES = [{ udid: '=cmd()', name: '=cmd(), "Ana"', platform: 'Android', osVersion: '14' }];

describe.each(targets)('the usage of a month on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let member: Person;
  const month = new Date().toISOString().slice(0, 7);

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    admin = await world.person('Admin');
    member = await world.person();
  });
  afterAll(() => world.server.stop());

  it('the usage of a month is shown to Admins alone, for a month that exists', async () => {
    expectError(await world.api('GET', `/usage/months/${month}`, { as: member.as }), 'insufficient_role');
    expectError(await world.api('GET', `/usage/months/${month}/csv`, { as: member.as }), 'insufficient_role');
    for (const bad of ['2026-13', '2026-1', 'now', '1999-01'])
      expectError(await world.api('GET', `/usage/months/${bad}`, { as: admin.as }), 'bad_request');
    const past = await world.ok('GET', '/usage/months/2020-02', { as: admin.as });
    expect(past).toEqual({
      ...{ from: '2020-02-01T00:00:00.000Z', to: '2020-03-01T00:00:00.000Z' },
      ...{ phones: [], teams: [], kinds: [], people: null },
    });
  });

  it('the usage of a month has people only while the setting usageByPerson is on', async () => {
    const read = () => world.ok('GET', `/usage/months/${month}`, { as: admin.as });
    expect((await read()).people).toBeNull();
    const set = (usageByPerson: string) =>
      world.api('POST', '/config', { as: world.root.as, json: { usageByPerson } });
    expect((await set('on')).status).toBe(200);
    expect((await read()).people).toEqual([]);
    expectError(await set('everyone'), 'invalid_setting');
    await set('off');
    expect((await read()).people).toBeNull();
  });

  it('the usage of a month is a CSV file whose cells no spreadsheet runs', async () => {
    await until(
      () => world.ok('GET', `/usage/months/${month}`, { as: admin.as }),
      ({ phones }) => phones.some(({ udid }: { udid: string }) => udid === '=cmd()'),
    );
    const file = await world.api('GET', `/usage/months/${month}/csv`, { as: admin.as });
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.headers['content-disposition']).toBe(`attachment; filename="usage-${month}.csv"`);
    const lines = file.text.split('\r\n');
    expect(lines[0]).toContain('"month","by","id","name","team","phones","presentSeconds"');
    expect(lines.find((line) => line.includes('cmd()'))).toContain(`"'=cmd()","'=cmd(), ""Ana"""`);
  });
});
