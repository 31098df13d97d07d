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

  it('adds it to no capability that only the lab decides on (contract 14.1)', async () => {
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

  it('does not lift the limit of idle time, nor does a later command (contract 14.7)', async () => {
    const { value } = await create({ newCommandTimeout: 0 });
    const { sessionId } = value as { sessionId: string };
    await request(`${appium.url}/session/${sessionId}/timeouts`, { method: 'POST', json: { command: 0 } });
    expect(await endOf(appium, ana.headers, sessionId)).toMatchObject({ failureCategory: 'Timeout' });
  });
});
