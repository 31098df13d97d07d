import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { startBareAppium } from '../support/sessions.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe.each([
  ['without a base path', ''],
  ['with a base path', '/wd/hub'],
])('the address itself, %s', (_name, base) => {
  let bare: Awaited<ReturnType<typeof startBareAppium>>;
  let lab: RunningServer;

  beforeAll(async () => {
    const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LAB_LOG_LEVEL: 'error', SVC_BASE_PATH: base };
    [lab, bare] = await Promise.all([
      startLab({ env }),
      startBareAppium(base === '' ? [] : ['--base-path', base]),
    ]);
  });
  afterAll(() => Promise.all([lab.stop(), bare.stop()]));

  it.each([['/'], ['/?from=mail']])(
    '%s answers a browser with the page that leads to sign-in, where bare Appium has none (contract 1, pages)',
    async (path) => {
      expect((await request(bare.url + path, { headers: BROWSER })).status).toBe(404);
      const page = await request(lab.url + path, { headers: BROWSER });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toContain('href="/svc/"');
      expect((await request(lab.url + path, { method: 'HEAD', headers: BROWSER })).status).toBe(200);
    },
  );

  it.each([
    ['GET', '*/*'],
    ['GET', 'application/json'],
    ['POST', BROWSER.accept],
    ['DELETE', BROWSER.accept],
  ])('%s / accepting %s is answered as by bare Appium (contract 7)', async (method, accept) => {
    const init = { method, headers: { accept } };
    const [ours, theirs] = await Promise.all([request(`${lab.url}/`, init), request(`${bare.url}/`, init)]);
    expect([ours.status, await ours.text()]).toEqual([theirs.status, await theirs.text()]);
    expect(ours.status).toBe(404);
  });

  it('/favicon.ico answers every client with the icon, and nothing about it is logged as an error', async () => {
    const icon = await request(`${lab.url}/favicon.ico`, { headers: { accept: 'image/avif,*/*;q=0.8' } });
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    expect(lab.output()).not.toContain('favicon');
  });

  it('no other address of Appium opens to a browser without credentials (specification 5.7.7)', async () => {
    const answer = await request(`${lab.url}/anything`, { headers: BROWSER });
    expect(answer.status).not.toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });
});

it('the home page of another plugin stays (contract 7)', async () => {
  const own = `static async updateServer(app) { app.get('/', (req, res) => res.send('theirs')); }`;
  const appium = await startAppium({ plugins: ['own', 'svc'], own: { own } });
  expect(await (await request(`${appium.url}/`, { headers: BROWSER })).text()).toBe('theirs');
  await appium.stop();
});
