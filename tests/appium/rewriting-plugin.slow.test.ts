import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { recordOf } from '../support/records.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

/** Replaces a profile, such as `my:profile: "two"` or the udid `profile-two`, by the udid of a phone. */
const PROFILES = `
  async createSession(next, driver, ...sets) {
    for (const set of new Set(sets.filter(Boolean))) {
      const always = set.alwaysMatch ?? {};
      log.info('seen: ' + JSON.stringify(set));
      const named = always['my:profile'] ?? String(always['appium:udid']).match(/^profile-(.*)$/)?.[1];
      delete always['my:profile'];
      if (named === 'odd') always['appium:avdArgs'] = '-x';
      if (named === 'two') always['appium:udid'] = 'virtual-2';
      if (named === 'none') always['appium:udid'] = 'virtual-99';
      if (named === 'broken') always['appium:app'] = 7;
    }
    return await next();
  }`;

describe('a plugin that rewrites the capabilities before the hook of svc runs', () => {
  let appium: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  let bob: Person;

  beforeAll(async () => {
    appium = await startAppium({
      own: { profiles: PROFILES },
      // Appium calls the plugin that is listed last first.
      plugins: ['svc', 'profiles'],
      args: ['--log-level', 'debug'],
      env: { SVC_REQUIRE_SESSION_TOKEN: 'true' },
    });
    const admin = await superAdmin(appium);
    ana = await makePerson(appium, admin, 'ana@example.org');
    bob = await makePerson(appium, admin, 'bob@example.org');
  }, 60_000);
  afterAll(() => appium?.stop());

  const create = async (capabilities: object, person = ana, own: object = {}) => {
    const always = { ...FAKE_PHONE, 'svc:options': { ...pairOf(person), ...own }, ...capabilities };
    const answer = await request(`${appium.url}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch: always, firstMatch: [{}] } },
    });
    const { value } = (await answer.json()) as { value: { sessionId: string; message?: string } };
    return { status: answer.status, value };
  };
  const end = async ({ value }: Awaited<ReturnType<typeof create>>) => {
    await request(`${appium.url}/session/${value.sessionId}`, { method: 'DELETE', headers: ana.headers });
    await allFree();
  };
  const statuses = async () => {
    const answer = await appium.api('/devices', { headers: ana.headers });
    const devices = (await answer.json()) as { status: string }[];
    return devices.map(({ status }) => status).join();
  };
  const allFree = () => expect.poll(statuses).toBe('free,free,free,free');
  const phoneOf = async ({ value }: Awaited<ReturnType<typeof create>>) => {
    const record = await recordOf(appium, ana.headers, value.sessionId);
    expect(record).toMatchObject({ owner: { id: ana.userId }, status: 'running' });
    return (record as unknown as { device: { udid: string } }).device.udid;
  };

  it.each([
    ['adds a udid', { 'my:profile': 'two' }],
    ['replaces a udid that no phone has', { 'appium:udid': 'profile-two' }],
    ['replaces the udid of another phone', { 'appium:udid': 'virtual-3', 'my:profile': 'two' }],
  ])(
    'a session runs on the phone that its capabilities name after it %s, and no other phone stays busy (contract 14.1)',
    async (_what, capabilities) => {
      const created = await create(capabilities);
      expect(created.status).toBe(200);
      expect(await phoneOf(created)).toBe('virtual-2');
      expect(await statuses()).toBe('free,busy,free,free');
      await end(created);
    },
  );

  it('a capability that only the lab decides on is refused if the plugin adds it, and its phone is free (contract 14.1)', async () => {
    expect(await create({ 'my:profile': 'odd' })).toMatchObject({
      status: 400,
      value: { message: 'svc decides on appium:avdArgs; leave it out' },
    });
    await allFree();
  });

  it('a create fails if no phone fits or the driver fails after the plugin, and its phone is free (contract 14.7)', async () => {
    for (const profile of ['none', 'broken']) {
      expect((await create({ 'my:profile': profile })).status).toBe(500);
      await allFree();
    }
  });

  it('one of several concurrent creates for a phone wins, however they name it (contract 6.4)', async () => {
    const names = [{ 'my:profile': 'two' }, { 'appium:udid': 'profile-two' }, { 'appium:udid': 'virtual-2' }];
    const results = await Promise.all([...names, ...names].map((capabilities) => create(capabilities)));
    const won = results.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await statuses()).toBe('free,busy,free,free');
    await end(won[0] ?? expect.unreachable());
  });

  it('a create waits in the queue for the phone that its capabilities name before they are rewritten (contract 13)', async () => {
    const first = await create({ 'appium:udid': 'virtual-2' });
    const second = create({ 'appium:udid': 'virtual-2', 'my:profile': 'two' }, ana, { queueSeconds: 30 });
    await expect
      .poll(async () => (await appium.api('/queue', { headers: ana.headers })).json())
      .toMatchObject({ waiting: 1 });
    await request(`${appium.url}/session/${first.value.sessionId}`, {
      method: 'DELETE',
      headers: ana.headers,
    });
    const created = await second;
    expect(await phoneOf(created)).toBe('virtual-2');
    await end(created);
  });

  it('a leased phone is given only to a create that names the lease, after the rewriting too (contract 2, leases)', async () => {
    const answer = await appium.api('/leases', {
      method: 'POST',
      headers: { cookie: ana.cookie },
      json: { udid: 'virtual-2', minutes: 5 },
    });
    expect(answer.status).toBe(201);
    const { leaseId, leaseToken } = (await answer.json()) as { leaseId: string; leaseToken: string };
    expect((await create({ 'my:profile': 'two' }, bob)).status).toBe(500);
    const created = await create({ 'my:profile': 'two' }, ana, { leaseId, leaseToken });
    expect(await phoneOf(created)).toBe('virtual-2');
    expect(appium.output()).not.toContain(leaseToken);
  });

  it('the plugin and the log never see the credentials of a create (spec 5.4.6)', () => {
    expect(appium.output()).toContain('seen: {');
    for (const { accessKey, token } of [ana, bob]) {
      expect(appium.output()).not.toContain(accessKey);
      expect(appium.output()).not.toContain(token);
    }
  });
});

it('a plugin that rewrites the capabilities after the hook of svc cannot bring a session to another phone (contract 14.2)', async () => {
  const appium = await startAppium({ own: { profiles: PROFILES }, plugins: ['profiles', 'svc'] });
  try {
    const alwaysMatch = { ...FAKE_PHONE, 'my:profile': 'two' };
    const answer = await request(`${appium.url}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { value: { message: 'the driver took another phone' } },
    ]);
  } finally {
    await appium.stop();
  }
});
