import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { read, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, inspect } from './support/inspect.ts';

interface Recording {
  readonly state: string;
  readonly pictures: number;
}

const browsers = useBrowser();
let lab: RunningServer;
let ana: Person;
/** Cookie of the first Super admin. */
let root: string;

beforeAll(async () => {
  const env = {
    SVC_RECORDING: 'all',
    SVC_LAB_LOG_LEVEL: 'error',
    SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
  };
  lab = await startLab({ env });
  root = await signIn(lab.url);
  ana = await makePerson(lab, root, 'ana@lab.test');
});
afterAll(() => lab?.stop());

const command = (id: string, method: string, path: string, json?: unknown) =>
  request(`${lab.url}/session/${id}${path}`, { method, headers: ana.headers, json });
const recordingOf = (id: string) => read<Recording>(lab, ana.headers, `/session/${id}/recording`);

async function open(path: string, cookie = ana.cookie): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url, cookie });
  await page.goto(path);
  return page;
}

/** Runs a session on a virtual phone until its recording has some pictures. The second command of the session fails. */
async function recorded(value = 'nowhere'): Promise<string> {
  const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
  await command(id, 'GET', '/orientation');
  await until(
    () => recordingOf(id),
    ({ pictures }) => pictures >= 3,
  );
  await command(id, 'POST', '/element', { using: 'id', value });
  await command(id, 'POST', '/execute/sync', {
    script: 'svc: captureEvidence',
    args: [{ label: 'the cart' }],
  });
  await command(id, 'GET', '/source');
  await command(id, 'DELETE', '');
  return id;
}

const drawn = (page: Page | Locator) =>
  page.locator('.recorded-screen canvas').evaluate((element) => {
    const canvas = element as unknown as { width: number; hidden: boolean; toDataURL(): string };
    return canvas.hidden ? '' : canvas.toDataURL();
  });

describe('the page of a recorded session', () => {
  it('the page of a recorded session says that it is recorded, and shows the live screen and then the recording to two viewers (contract 11)', async () => {
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    const address = `/svc/sessions?id=${id}`;
    const [page, other] = [await open(address), await open(address, root)];
    for (const viewer of [page, other]) {
      await viewer.getByText('This session is being recorded').waitFor();
      await viewer.locator('.session-stage .preview[data-state="shown"]').waitFor();
    }
    await command(id, 'GET', '/orientation');
    for (const viewer of [page, other])
      await viewer.locator('.timeline').getByText('Get orientation').waitFor();
    await inspect(page, 'session-recording');
    await command(id, 'DELETE', '');
    for (const viewer of [page, other]) await viewer.getByLabel('Moment of the recording').waitFor();
    await expect.poll(() => drawn(other)).not.toBe('');
    expect(await drawn(page)).toBe(await drawn(other));
  });

  it('the page of a recorded session plays pictures and commands on one time line, from the first failure on, by keyboard (contract 11)', async () => {
    const id = await recorded();
    const page = await open(`/svc/sessions?id=${id}`);
    const slider = page.getByLabel('Moment of the recording');
    await slider.waitFor();
    const current = page.locator('.timeline > li[aria-current]');
    await current.getByText('Find element').waitFor();
    await expect.poll(() => drawn(page)).not.toBe('');
    await inspect(page, 'session-recorded');

    const atFailure = page.url();
    await page.getByRole('button', { name: 'Previous command' }).focus();
    await page.keyboard.press('Enter');
    await current.getByText('Get orientation').waitFor();
    expect(await page.getByRole('button', { name: 'Previous command' }).isDisabled()).toBe(true);
    expect(page.url()).not.toBe(atFailure);
    const link = page.url();
    const before = await drawn(page);
    await slider.focus();
    await page.keyboard.press('End');
    await expect.poll(() => drawn(page)).not.toBe(before);
    await page.getByRole('button', { name: 'the cart' }).click();
    expect(new URL(page.url()).hash).toMatch(/^#at=/);

    const colleague = await open(link);
    await colleague.locator('.timeline > li[aria-current]').getByText('Get orientation').waitFor();
    await expect.poll(() => drawn(colleague)).toBe(before);
    await colleague.getByRole('button', { name: '4×' }).click();
    await colleague.getByRole('button', { name: 'Play' }).click();
    await colleague.getByRole('button', { name: 'Play' }).waitFor();
    await expect.poll(() => drawn(colleague)).not.toBe(before);
  });

  it('a comparison shows the recorded screens of both runs at the command that the user opens (contract 11)', async () => {
    const [id, against] = [await recorded('here'), await recorded('there')];
    const page = await open(`/svc/sessions?${new URLSearchParams({ id, against })}`);
    const screens = ['This run', 'Compared with'].map((name) => page.getByRole('region', { name }));
    for (const screen of screens) await expect.poll(() => drawn(screen)).not.toBe('');
    const before = await Promise.all(screens.map(drawn));
    await page.locator('.compared summary', { hasText: 'Get orientation' }).first().click();
    for (const [index, screen] of screens.entries())
      await expect.poll(() => drawn(screen)).not.toBe(before[index]);
    await inspect(page, 'session-compared-recorded');
  });

  it('the page of a recorded session has the report, and its owner deletes what was recorded (contract 11)', async () => {
    const id = await recorded();
    const page = await open(`/svc/sessions?id=${id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download report' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`session-${id}.html`);
    const saved = await browsers.page({ offline: true });
    const file = join(freshDataDir(), 'report.html');
    await download.saveAs(file);
    await saved.goto(pathToFileURL(file).href);
    await saved.getByText('findElement').first().waitFor();
    await expectAccessible(saved, 'the report, opened from disk');
    await page.getByRole('button', { name: 'Delete the recording' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the recording' }).click();
    await page.getByText('The recording of this session was deleted.').waitFor();
    expect(await recordingOf(id)).toMatchObject({ state: 'removed', pictures: 0 });
  });
});
