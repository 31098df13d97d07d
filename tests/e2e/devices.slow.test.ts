import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { frame, okay, scriptedAdb, wellBehaved } from '../devices/support/scripted-adb.ts';
import { labInfo, type RunningServer, runNode, signIn, startApi, startLab } from '../support/lab.ts';
import { read } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { type PageOptions, useBrowser } from './support/browser.ts';
import { expectWholeWords, inspect } from './support/inspect.ts';
import { row } from './support/people.ts';

interface Drawn {
  toDataURL(): string;
}

interface Usage {
  readonly phones: readonly { readonly leasedSeconds: number }[];
}

const MARKUP = '<img src=x onerror=alert(1)><b>bold</b>';

const browsers = useBrowser();
let lab: RunningServer;
let root: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_LAB_LOG_LEVEL: 'error', SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000', SVC_LAB_DEVICES: '4' },
  });
  root = await signIn(lab.url);
  ana = await makePerson(lab, root, 'ana@lab.test');
  bob = await makePerson(lab, root, 'bob@lab.test');
});
afterAll(() => lab?.stop());

async function open(path: string, cookie: string, options: PageOptions = {}): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url, cookie, ...options });
  await page.goto(path);
  return page;
}

async function api(method: string, path: string, json?: unknown) {
  const answer = await lab.api(path, {
    method,
    headers: { cookie: root },
    ...(json === undefined ? {} : { json }),
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

const card = (page: Page, udid: string) => page.locator(`[data-udid="${udid}"]`);
const lineOf = (page: Page, text: string) => page.getByRole('row', { name: text });
const preview = (page: Page) => page.locator('.preview[data-state="shown"] img');

/** @returns the picture that is currently drawn */
const picture = (page: Page) =>
  page.evaluate(`(() => {
    const shown = document.querySelector('.preview img');
    const canvas = document.createElement('canvas');
    canvas.width = shown.naturalWidth;
    canvas.height = shown.naturalHeight;
    canvas.getContext('2d').drawImage(shown, 0, 0);
    return canvas.toDataURL();
  })()`);

/**
 * Runs a program in a folder with WebdriverIO.
 * @returns its exit code
 */
async function startBeside(code: string): Promise<number | null> {
  const file = fileURLToPath(new URL('first-test-of-test.mjs', import.meta.url));
  writeFileSync(file, code);
  try {
    return (await runNode(file).exited).code;
  } finally {
    rmSync(file);
  }
}

async function end(id: string): Promise<void> {
  await lab.api(`/session/${id}`, { method: 'DELETE', headers: { cookie: root } });
}

describe('Devices', () => {
  it('a session of WebdriverIO turns its phone busy without a reload (contract 2 /devices, specification 6)', async () => {
    const page = await open('/svc/devices', ana.cookie);
    await card(page, 'virtual-4').waitFor();
    await inspect(page, 'devices');
    const { hostname, port } = new URL(lab.url);
    const { capabilities } = await labInfo(lab.url);
    const phone = await remote({
      hostname,
      port: Number(port),
      logLevel: 'silent',
      capabilities: { ...capabilities, 'svc:options': pairOf(ana) } as never,
    });
    await page.getByText('Unnamed session').waitFor();
    await phone.executeScript('svc: setSessionName', [{ name: MARKUP }]);
    await page.getByRole('link', { name: MARKUP }).waitFor();
    await page.locator('.device-card', { hasText: MARKUP }).getByText('Used by you').waitFor();
    const others = await open('/svc/devices', bob.cookie);
    await others.getByText('In use by someone else').waitFor();
    expect(await others.getByText(MARKUP).count()).toBe(0);
    await phone.deleteSession();
    await page.getByRole('link', { name: MARKUP }).waitFor({ state: 'detached' });
  });

  it('tiles show recent pictures while they are visible, each with a ticket of its own (specification 5.8)', async () => {
    const page = await open('/svc/devices', ana.cookie);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/stream?ticket=')) asked.push(request.url());
    });
    // Enlarge the window, because the first steps above the tiles may fill a smaller window.
    await page.setViewportSize({ width: 1280, height: 2_000 });
    const picture = card(page, 'virtual-1').getByRole('img', { name: /^Recent picture of/ });
    await picture.waitFor();
    const drawn = () => picture.evaluate((canvas) => (canvas as unknown as Drawn).toDataURL());
    const first = await drawn();
    await expect.poll(drawn, { timeout: 15_000 }).not.toBe(first);
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked).size).toBe(asked.length);
    // The tile of a phone that the user watches shows no recent picture.
    await card(page, 'virtual-1')
      .getByRole('button', { name: /^Watch / })
      .click();
    await picture.waitFor({ state: 'detached' });
  });

  it('filters are in the address, so that a link shows the same phones', async () => {
    await api('POST', '/device/tags', {
      udid: 'virtual-2',
      tags: ['quick', 'a tag of forty characters without'],
    });
    const page = await open('/svc/devices', root);
    await page.getByLabel('Tag', { exact: true }).selectOption('quick');
    await page.getByLabel('Status').selectOption('free');
    await card(page, 'virtual-1').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?tag=quick&status=free');
    const linked = await open(page.url(), root);
    await card(linked, 'virtual-2').waitFor();
    expect(await linked.locator('.device-card').count()).toBe(1);
    expect(await linked.getByLabel('Tag', { exact: true }).inputValue()).toBe('quick');
    await linked.getByLabel('Search name').fill('nothing like it');
    await linked.getByText('No phone matches').waitFor();
    await expect.poll(() => new URL(linked.url()).search).toContain('search=nothing');
    await api('POST', '/device/tags', { udid: 'virtual-2', tags: [] });
  });

  it('the preview shows frames, begins again when it is cut, and taps where it is pressed (specification 5.8)', async () => {
    const { sessionId } = (await createSession(lab.url, pairOf(ana))).body.value;
    const page = await open('/svc/devices', ana.cookie);
    const busy = page.locator('.device-card', { has: page.getByText('Used by you') });
    await busy.getByRole('link').first().click();
    await preview(page).waitFor();
    const first = await picture(page);
    expect(first).toMatch(/^data:image/);
    await expect.poll(() => picture(page)).not.toBe(first);
    await page
      .getByText(/typed|tick 1/)
      .first()
      .waitFor();
    await preview(page).click({ position: { x: 10, y: 10 } });
    await page.getByText(/^Tapped at/).waitFor();
    await page
      .getByText(/tap at/)
      .first()
      .waitFor();
    await page.getByLabel('Text to type').fill('hello');
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await page.getByText('text of 5 characters').waitFor();
    await page.getByLabel('Text for the clipboard').fill('copied');
    await page.getByRole('button', { name: 'Copy to the clipboard' }).click();
    await page.getByText('clipboard of 6 characters').waitFor();
    await inspect(page, 'device');
    await end(sessionId);
    await page.getByText('Start a test to type and tap here.').waitFor();
  });

  it('cut streams are opened again with a new ticket (specification 5.8)', async () => {
    const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie, refusals: [404], cuts: true });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/stream?ticket=')) asked.push(request.url());
    });
    await page.goto('/svc/devices?udid=virtual-1');
    await preview(page).waitFor();
    // If a user may no longer see the phone, their stream and log are cut.
    const team = await api('POST', '/teams', { name: 'Closed' });
    await api('PUT', '/device/virtual-1/team', { teamId: team.id });
    await page.getByRole('heading', { level: 1, name: 'There is no such phone' }).waitFor();
    await api('PUT', '/device/virtual-1/team', { teamId: null });
    await page.reload();
    await preview(page).waitFor();
    expect(new Set(asked).size).toBe(asked.length);
    await api('DELETE', `/teams/${team.id}`);
  });

  it('a phone is kept and given back, and everybody sees by whom (contract 2 /leases)', async () => {
    const page = await open('/svc/devices?udid=virtual-2', ana.cookie);
    const others = await open('/svc/devices', bob.cookie);
    await page.getByRole('button', { name: 'Lease it' }).click();
    await page.getByText('Lease token').waitFor();
    expect(await page.title()).toMatch(/^Virtual phone 2 · /);
    const own = await open('/svc/devices', ana.cookie);
    await card(own, 'virtual-2').getByText('Leased to you', { exact: true }).waitFor();
    expect(await card(own, 'virtual-2').getAttribute('class')).toContain('device-mine');
    await inspect(own, 'devices-mine');
    await expectWholeWords(own);
    // The lab samples its use every 5 s.
    await expect
      .poll(async () => (await read<Usage>(lab, ana.headers, '/usage')).phones[1]?.leasedSeconds)
      .toBeGreaterThan(0);
    await own.getByRole('link', { name: 'Usage' }).click();
    const leased = await row(own, 'By phone', 'Virtual phone 2');
    await leased
      .getByText(/\d+ %, \d+ (?:min|s)/)
      .first()
      .waitFor();
    expect(await own.getByRole('table', { name: 'By team' }).count()).toBe(0);
    expect(await own.title()).toBe('Use of the last 7 days · Device lab');
    await expectWholeWords(own);
    await inspect(own, 'usage');
    const admins = await open('/svc/devices?use=week', root);
    await row(admins, 'By team', 'Shared pool');
    await card(others, 'virtual-2').getByText('Leased to ana@lab.test').waitFor();
    await inspect(page, 'device-kept');
    await page.getByRole('button', { name: 'Give back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give back' }).click();
    await card(others, 'virtual-2').getByText('Leased to ana@lab.test').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Lease it' }).waitFor();
  });

  it('an Admin gives it a team and tags, which are only ever text (contract 2 /device)', async () => {
    const team = await api('POST', '/teams', { name: MARKUP });
    const page = await open('/svc/devices?udid=virtual-3', root);
    await page.getByLabel('Team').selectOption({ label: MARKUP });
    await page.getByLabel('Tags, one per line').fill(`${MARKUP.slice(0, 60)}\nsmoke`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.device-facts').getByText(MARKUP, { exact: true }).waitFor();
    await page.goto('/svc/devices');
    await card(page, 'virtual-3').getByText(MARKUP, { exact: true }).waitFor();
    expect(await page.locator('img[src="x"], main b').count()).toBe(0);
    const members = await open('/svc/devices', bob.cookie);
    await card(members, 'virtual-1').waitFor();
    expect(await card(members, 'virtual-3').count()).toBe(0);
    await api('PUT', '/device/virtual-3/team', { teamId: null });
    await api('POST', '/device/tags', { udid: 'virtual-3', tags: [] });
    await api('DELETE', `/teams/${team.id}`);
  });

  it('a user who is deactivated in another browser lands on sign-in, and the preview stops (specification 3 User)', async () => {
    const eve = await makePerson(lab, root, 'eve@lab.test');
    const page = await open('/svc/devices?udid=virtual-1', eve.cookie, { refusals: [401], cuts: true });
    await preview(page).waitFor();
    const admin = await open('/svc/users', root);
    const gone = page.waitForURL(/\/svc\/sign-in/);
    await admin.evaluate(
      async ([id]) => {
        await fetch(`api/users/${id}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ status: 'Inactive' }),
        });
      },
      [eve.userId],
    );
    await gone;
    await page.getByText('Your sign-in has ended').waitFor();
    expect(await page.locator('.preview').count()).toBe(0);
  });

  it('a lost line is told of, and back by itself with what was missed (specification 6)', async () => {
    const own = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } });
    const { port } = new URL(own.url);
    const page = await browsers.page({
      baseURL: own.url,
      cookie: await signIn(own.url),
      refusals: [503, 404],
      cuts: true,
    });
    try {
      await page.goto('/svc/devices');
      await card(page, 'virtual-1').waitFor();
      await page.evaluate(`document.title = 'same page'`);
      await own.stop();
      await page.getByText('The connection to the server is lost.').waitFor();
      const again = await startLab({
        dataDir: own.dataDir,
        env: { PORT: port, SVC_LAB_LOG_LEVEL: 'error', SVC_LAB_DEVICES: '2' },
      });
      try {
        await page
          .getByText('The connection to the server is lost.')
          .waitFor({ state: 'detached', timeout: 40_000 });
        await card(page, 'virtual-4').waitFor({ state: 'detached' });
        expect(await page.title()).toBe('same page');
      } finally {
        await again.stop();
      }
    } finally {
      await own.stop();
    }
  });
});

describe('the first steps', () => {
  it('the first steps lead from the built-in password to a test that is seen live, with the test as it is given', async () => {
    const fresh = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } });
    try {
      const page = await browsers.page({ baseURL: fresh.url, cookie: await signIn(fresh.url) });
      await page.goto('/svc/devices');
      const steps = page.locator('.first-run li');
      const fold = page.getByRole('button', { name: /^First steps: . of 4 done$/ });
      await fold.click();
      await steps.first().waitFor();
      expect(await steps.count()).toBe(4);
      await inspect(page, 'first-run');
      await page.getByRole('link', { name: 'Change the password' }).waitFor();
      await page.evaluate(async () => {
        await fetch('api/auth/change-password', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            oldPassword: 'svc-admin-please-change',
            newPassword: 'a password of its own',
          }),
        });
      });
      await page.reload();
      await fold.click();
      await page.getByRole('button', { name: 'Create a token for 30 days' }).click();
      const code = await page
        .locator('figure', { hasText: 'first-test.mjs' })
        .locator('pre')
        .last()
        .textContent();
      expect(code).toMatch(/const token = "svct_/);
      await inspect(page, 'first-run-test');
      const run = startBeside(code as string);
      await page.locator('[data-step="live"][data-done="true"]').waitFor();
      await page.getByText('All done.').waitFor();
      expect(await run).toBe(0);
      await fold.click();
      await steps.first().waitFor({ state: 'hidden' });
      await page.reload();
      await page.locator('.device-card').first().waitFor();
      expect(await page.getByText('First steps').count()).toBe(0);
      await page.close();
    } finally {
      await fresh.stop();
    }
  });
});

describe('phones that are plugged into the server', () => {
  it('phones that are plugged into the server are named on an empty page and appear when switched on; the pages of nodes and leases follow (contract 2 /devices, contract 1)', async () => {
    const lines = 'u1 device model:Pixel_9 transport_id:1\nu2 unauthorized transport_id:2\n';
    const others = wellBehaved(() => lines);
    const adb = await scriptedAdb((service, socket) =>
      service === 'host:devices-l' ? socket.end(okay(frame(lines))) : others(service, socket),
    );
    const own = await startApi({
      env: { ANDROID_ADB_SERVER_PORT: `${adb.port}`, SVC_NODE_ALLOW: '127.0.0.1' },
    });
    const cookie = await signIn(own.url);
    try {
      const page = await browsers.page({ baseURL: own.url, cookie });
      await page.goto('/svc/devices');
      const source = page.locator('[data-source="adb"]');
      await source.getByText(`adb server at 127.0.0.1:${adb.port}`).waitFor();
      await source.getByText('It responds, 2 phones are plugged in.').waitFor();
      await source.getByText('Confirm on the phone that it trusts this computer').waitFor();
      await inspect(page, 'phone-sources');
      await source.getByRole('button', { name: 'Use these phones' }).focus();
      await page.keyboard.press('Enter');
      await card(page, 'u1').waitFor();
      const folded = page.getByText('Phones plugged into this server: 1 is not ready');
      await expect.poll(() => folded.evaluate((summary) => summary.matches(':focus'))).toBe(true);
      await page.keyboard.press('Enter');
      await inspect(page, 'phone-sources-on');
      await source.getByRole('button', { name: 'Stop using these phones' }).click();
      await card(page, 'u1').getByText('Away').waitFor();
      await expectNodesAndLeases(own, cookie, page);
      await page.close();
    } finally {
      await own.stop();
      await adb.close();
    }
  });
});

/** Registers a node on the server, leases its phones, and uses the pages of the nodes and the leases. */
async function expectNodesAndLeases(own: RunningServer, cookie: string, page: Page): Promise<void> {
  const post = async (path: string, json: object, headers: Record<string, string> = { cookie }) => {
    const answer = await own.api(path, { method: 'POST', headers, json });
    expect(answer.status).toBeLessThan(300);
  };
  const devices = [1, 2].map((each) => ({ udid: `node-phone-${each}`, name: `Shelf phone ${each}` }));
  await post('/nodes', { url: 'http://127.0.0.1:9', version: '0.0.1', devices });
  await page.goto('/svc/nodes');
  const node = lineOf(page, '127.0.0.1:9');
  await node.getByText('0.0.1, this server has another version').waitFor();
  expect(await node.getByRole('link', { name: '2 phones of 127.0.0.1:9' }).getAttribute('href')).toMatch(
    /\/svc\/devices\?node=127\.0\.0\.1%3A9$/,
  );
  await inspect(page, 'nodes');
  await expectWholeWords(page);
  await node.getByRole('button', { name: 'Log lines of 127.0.0.1:9' }).focus();
  await page.keyboard.press('Enter');
  await lineOf(page, 'Node 127.0.0.1:9 is present').getByText('Info').waitFor();
  await inspect(page, 'node-log');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const bert = await makePerson(own, cookie, 'bert@lab.test');
  await post('/leases', { udid: 'node-phone-1', minutes: 15 }, { cookie: bert.cookie });
  await post('/leases', { udid: 'node-phone-2', minutes: 30 });
  const member = await browsers.page({ baseURL: own.url, cookie: bert.cookie });
  for (const each of [page, member]) {
    await each.goto('/svc/leases');
    await each.getByRole('row').nth(2).waitFor();
    expect(await each.getByRole('row').nth(1).textContent()).toContain('You');
  }
  await inspect(page, 'leases');
  await expectWholeWords(page);
  expect(await lineOf(member, 'Shelf phone 2').getByRole('button').count()).toBe(0);
  await member.getByRole('button', { name: 'Change the time of Shelf phone 1' }).focus();
  await member.keyboard.press('Enter');
  await member.getByLabel('For how long', { exact: true }).selectOption({ label: '8 hours' });
  await member.getByRole('dialog').getByRole('button', { name: 'Change the time' }).click();
  await lineOf(member, 'Shelf phone 1')
    .getByText(/^7 h 59/)
    .waitFor();
  await page.getByRole('button', { name: 'End lease of Shelf phone 1 by bert@lab.test' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End lease', exact: true }).click();
  await lineOf(member, 'Shelf phone 1').waitFor({ state: 'detached' });

  await page.goto('/svc/nodes');
  await page.getByRole('button', { name: 'Remove 127.0.0.1:9' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No nodes yet').waitFor();
  await member.close();
}
