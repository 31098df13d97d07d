import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { targets, World } from './support/world.ts';

describe.each(targets)('webhooks of a team on $name', ({ start }) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  it('a team goes only when no webhook belongs to it (contract 2)', async () => {
    const { as } = await world.person('Admin');
    const { id } = await world.ok('POST', '/teams', { as, json: { name: 'Hooked' } });
    const remove = () => world.api('DELETE', `/teams/${id}`, { as });
    const hook = { url: 'https://hooks.example.test/lab', events: ['session_failed'], teamId: id };
    const { id: hookId } = await world.ok('POST', '/webhook', { as, json: hook });
    const refused = await remove();
    expectError(refused, 'team_not_empty');
    expect(refused.body).toMatchObject({ members: 0, devices: 0, apiKeys: 0, webhooks: 1 });
    await world.ok('DELETE', `/webhook/${hookId}`, { as });
    expect((await remove()).status).toBe(204);
  });
});
