import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targets, World } from './support/world.ts';

const REQUESTS = 6000;
const AT_ONCE = 50;

/**
 * Sends requests from this machine, each with a different forwarded address and id.
 * @returns the statuses
 */
async function flood(url: string, path: string): Promise<Set<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Set<number>();
  const one = (number: number) =>
    new Promise<void>((done, failed) => {
      const headers = {
        'x-svc-access-key': `svc_${number}`,
        'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
        'x-request-id': `flood-${number}`,
      };
      const sent = request(new URL(path, url), { agent, headers }, (response) => {
        statuses.add(response.statusCode ?? 0);
        response.resume().once('end', done).once('error', failed);
      });
      sent.once('error', failed).end();
    });
  let next = 0;
  const lane = async () => {
    while (next < REQUESTS) {
      next += 1;
      await one(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  agent.destroy();
  return statuses;
}

describe.each(targets)('a flood of bad requests on $name', ({ name, start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, { SVC_REQUIRE_COMMAND_AUTH: 'true' });
  });
  afterAll(() => world.server.stop());

  it('a flood of bad requests adds a handful of rows and log lines, whatever addresses it claims (contract 2, /audit)', async () => {
    const lines = world.server.output().split('\n').length;
    expect(await flood(world.url, '/svc/api/auth/me')).toEqual(new Set([401]));
    const { items } = await world.ok('GET', '/audit?limit=500', { as: world.root.as });
    const rows = items.filter(({ event }: { event: string }) => event === 'authn_credential_fail');
    // Two rows for each minute of the flood.
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(10);
    expect(rows.at(-1)).toMatchObject({ peer: '127.0.0.1', target: 'GET /svc/api/auth/me' });
    expect(world.server.output().split('\n').length - lines).toBeLessThan(10);
  });

  if (name === 'appium') {
    it('a flood of refused commands is limited in the log too (contract 7)', async () => {
      const lines = world.server.output().split('\n').length;
      const path = '/session/00000000-0000-4000-8000-000000000000/url';
      expect(await flood(world.url, path)).toEqual(new Set([404]));
      const { items } = await world.ok('GET', '/audit?limit=500', { as: world.root.as });
      const rows = items.filter(
        ({ event, target }: { event: string; target: string }) =>
          event === 'authn_credential_fail' && target !== 'GET /svc/api/auth/me',
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(10);
      // 300 lines for each minute of the flood.
      expect(world.server.output().split('\n').length - lines).toBeLessThan(1300);
      expect(world.server.output()).toContain('Command refused: GET /session/00000000-');
    });
  }
});
