import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();
let lab: RunningServer;
let root: string;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error', SVC_LAB_DEVICES: '2' } });
  root = await signIn(lab.url);
});
afterAll(() => lab?.stop());

describe('the page about which phone one would get', () => {
  it('pasted capabilities show who fits and why the others do not, and no secret is sent (contract 14.4)', async () => {
    const page = await browsers.page({ baseURL: lab.url, cookie: root });
    await page.goto('/svc/devices');
    await page.getByRole('link', { name: 'Which phone would I get?' }).click();
    const field = page.getByLabel('Capabilities (JSON)');
    await field.fill('not JSON');
    await page.getByRole('button', { name: 'Find phones' }).click();
    await page.getByText('This is not a JSON object.').waitFor();
    const options = { token: 'svct_hunter2', device: { udids: ['virtual-1'] } };
    await field.fill(JSON.stringify({ platformName: 'Fake', 'svc:options': options }));
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().endsWith('/devices/match')),
      page.getByRole('button', { name: 'Find phones' }).click(),
    ]);
    expect(request.postData()).not.toContain('hunter2');
    await page.getByRole('row', { name: 'Virtual phone 1 Free' }).waitFor();
    await page
      .getByText('svc:options.device.udids: virtual-1 is required, the phone has virtual-2')
      .waitFor();
    await inspect(page, 'match');
  });
});
