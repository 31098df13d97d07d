import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InputPhones, inputPhones } from '../devices/support/input-phone.ts';
import { type RunningServer, signIn, startApi } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';

const browsers = useBrowser();
let phones: InputPhones;
let server: RunningServer;

beforeAll(async () => {
  phones = await inputPhones(['phone-1']);
  server = await startApi({ env: { SVC_ADB: `127.0.0.1:${phones.server.port}` } });
});
afterAll(async () => {
  await server?.stop();
  await phones?.close();
});

it('the holder of the lease of an adb phone controls it on its page without a session (contract 2 /control)', async () => {
  const cookie = await signIn(server.url);
  const send = (json: object) => server.api('/leases', { method: 'POST', headers: { cookie }, json });
  await expect.poll(async () => (await send({ udid: 'phone-1', minutes: 5 })).status).toBe(201);
  const page = await browsers.page({ baseURL: server.url, cookie });
  await page.goto('/svc/devices?udid=phone-1');
  await page.getByText('You control this phone without a session').waitFor();
  await page.getByRole('button', { name: 'Home', exact: true }).click();
  await page.getByText('Pressed Home.').waitFor();
  await page.getByRole('button', { name: 'Swipe up', exact: true }).click();
  await page.getByText('Swiped.').waitFor();
  await page.locator('input[name="text"]').fill("it's typed");
  await page.locator('input[name="text"]').press('Enter');
  await expect
    .poll(() => phones.inputs())
    .toEqual(['keyevent|3', 'swipe|540|1800|540|600|300', "text|it's typed"]);
});
