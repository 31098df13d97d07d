import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { endOf, recordOf } from '../support/records.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

let installed: Record<string, string>;

beforeAll(() => {
  installed = installExtensions(['@appium/relaxed-caps-plugin@2.0.0']);
}, 120_000);

describe.each([
  ['before svc', ['relaxed-caps', 'svc']],
  ['after svc, where it calls the driver directly', ['svc', 'relaxed-caps']],
])('the plugin relaxed-caps %s', (_where, plugins) => {
  let appium: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;

  beforeAll(async () => {
    appium = await startAppium({
      installed,
      plugins,
      env: { SVC_MAX_IDLE_SECONDS: '2' },
    });
    ana = await makePerson(appium, await superAdmin(appium), 'ana@example.org');
  }, 60_000);
  afterAll(() => appium?.stop());

  const create = async (capabilities: object) => {
    const always = { ...FAKE_PHONE, 'svc:options': pairOf(ana), ...capabilities };
    const answer = await request(`${appium.url}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch: always, firstMatch: [{}] } },
    });
    return { status: answer.status, value: ((await answer.json()) as { value: object }).value };
  };

  /** Resolves when the phone is free again. */
  const settledAt = async (udid: string) => {
    await expect
      .poll(async () => {
        const answer = await appium.api('/devices', { headers: ana.headers });
        const devices = (await answer.json()) as { udid: string; status: string }[];
        return devices.find((device) => device.udid === udid)?.status;
      })
      .toBe('free');
  };

  it('relaxed-caps adds its prefix to no capability that only the lab decides on (contract 14.1)', async () => {
    expect(await create({ avdArgs: '-x' })).toMatchObject({
      status: 400,
      value: { error: 'invalid argument', message: 'svc decides on appium:avdArgs; leave it out' },
    });
    const { status, value } = await create({
      udid: 'virtual-2',
      systemPort: 1,
      options: { wdaLocalPort: 2, 'appium:mjpegServerPort': 3 },
    });
    expect({ status, value }).toMatchObject({ status: 200, value: { capabilities: { udid: 'virtual-2' } } });
    expect(JSON.stringify(value)).not.toMatch(/Port/);
    const { sessionId } = value as { sessionId: string };
    expect(await recordOf(appium, ana.headers, sessionId)).toMatchObject({
      owner: { id: ana.userId },
      device: { udid: 'virtual-2' },
    });
  });

  it('one of several concurrent creates for a phone wins, and the others leave it with its session (contract 6.4)', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => create({ udid: 'virtual-1' })));
    expect(results.map(({ status }) => status).sort()).toEqual([200, 500, 500, 500]);
    const { value } = results.find(({ status }) => status === 200) ?? expect.unreachable();
    const { sessionId } = value as { sessionId: string };
    expect(await recordOf(appium, ana.headers, sessionId)).toMatchObject({
      status: 'running',
      device: { udid: 'virtual-1' },
    });
    await request(`${appium.url}/session/${sessionId}`, { method: 'DELETE', headers: ana.headers });
    await settledAt('virtual-1');
  });

  it('a create that the driver refuses frees its phone (contract 14.7)', async () => {
    expect(await create({ udid: 'virtual-1', automationName: 'Unknown' })).toMatchObject({ status: 500 });
    expect(await create({ udid: 'virtual-1', 'appium:app': 7 })).toMatchObject({ status: 500 });
    await settledAt('virtual-1');
  });

  it('relaxed-caps does not lift the limit of idle time, nor does a later command (contract 14.7)', async () => {
    const { value } = await create({ newCommandTimeout: 0 });
    const { sessionId } = value as { sessionId: string };
    await request(`${appium.url}/session/${sessionId}/timeouts`, { method: 'POST', json: { command: 0 } });
    expect(await endOf(appium, ana.headers, sessionId)).toMatchObject({ failureCategory: 'Timeout' });
  });
});
