import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { logOf } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const EXTENSIONS = ['@appium/execute-driver-plugin@5.0.0', '@appium/images-plugin@4.2.0'];

/** Returns the callback addresses in a text. */
const shownIn = (text: string) => text.match(/svc-callback\/[\w-]{20,}/g) ?? [];

let installed: Record<string, string>;

beforeAll(() => {
  installed = installExtensions(EXTENSIONS);
}, 300_000);

describe.each([
  ['without a base path', ''],
  ['with a base path', '/wd/hub'],
])('plugins of the npm registry while commands are checked, %s', (_what, basePath) => {
  let appium: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  let id: string;

  beforeAll(async () => {
    appium = await startAppium({
      installed,
      plugins: ['execute-driver', 'images', 'svc'],
      env: { SVC_REQUIRE_COMMAND_AUTH: 'true' },
      args: ['--relaxed-security', '--log-level', 'debug', '--base-path', basePath],
    });
    ana = await makePerson(appium, await superAdmin(appium), 'ana@example.org');
    id = (await createSession(appium.url, pairOf(ana), { basePath })).body.value.sessionId;
  });
  afterAll(() => appium?.stop());

  const command = async (path: string, json?: object) => {
    const url = `${appium.url}${basePath}/session/${id}${path}`;
    const method = json === undefined ? 'GET' : 'POST';
    const answer = await request(url, { method, headers: ana.headers, json });
    const { value } = (await answer.json()) as { value: unknown };
    return { status: answer.status, value };
  };
  const run = (script: string) => command('/appium/execute_driver', { script });

  it('a script of execute-driver drives its session as without svc (contract 7)', async () => {
    const { status, value } = await run('return (await driver.$$("//row")).length;');
    expect(value).toMatchObject({ result: 3 });
    expect(status).toBe(200);
  });

  it('several scripts run at the same time, each with many commands (contract 7)', async () => {
    const script = 'return (await Promise.all(Array.from({ length: 20 }, () => driver.$$("//row")))).length;';
    const answers = await Promise.all([run(script), run(script), run(script)]);
    expect(answers.map(({ value }) => (value as { result: unknown }).result)).toEqual([20, 20, 20]);
  });

  it('the address of a callback is in no log, also if the script returns it (spec 5.5)', async () => {
    const { value } = await run('return driver.options.path;');
    const [, secret = ''] = /svc-callback\/([\w-]{43})/.exec(JSON.stringify(value)) ?? [];
    expect(secret).not.toBe('');
    await run(
      'await driver.getElementText("svc-callback").catch(() => {}); throw new Error(driver.options.path);',
    );
    expect(appium.output()).toMatch(/webdriver: .*\[POST\] http.*\/elements/);
    expect(shownIn(appium.output())).toEqual([]);
    expect(appium.output().includes(secret)).toBe(false);
    const commands = await logOf(appium, ana.headers, id);
    expect(commands.map(({ path }) => path)).toContain(`${basePath}/session/${id}/elements`);
    expect(shownIn(JSON.stringify(commands))).toEqual([]);
  });

  it('images compares two pictures', async () => {
    const { value: picture } = await command('/screenshot');
    const compared = await command('/appium/compare_images', {
      mode: 'getSimilarity',
      firstImage: picture,
      secondImage: picture,
    });
    expect(compared).toMatchObject({ status: 200, value: { score: expect.any(Number) } });
  });
});
