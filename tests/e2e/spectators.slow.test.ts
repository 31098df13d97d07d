import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';

const browsers = useBrowser();
const UDID = 'virtual-1';

let lab: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_SPECTATORS: 'anyone' } });
  const cookie = await superAdmin(lab);
  const headers = { cookie };
  [ana, bob] = [
    await makePerson(lab, cookie, 'ana@example.org'),
    await makePerson(lab, cookie, 'bob@example.org'),
  ];
  const team = await lab.api('/teams', { method: 'POST', headers, json: { name: 'Watchers' } });
  const { id } = (await team.json()) as { id: string };
  for (const { userId } of [ana, bob])
    await lab.api(`/teams/${id}/members`, { method: 'POST', headers, json: { userId } });
  const json = { udid: UDID, minutes: 30 };
  await lab.api('/leases', { method: 'POST', headers: { cookie: ana.cookie }, json });
});
afterAll(() => lab?.stop());

/** Opens the page of the phone as its holder. */
async function holder() {
  const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie });
  await page.goto(`/svc/devices?udid=${UDID}`);
  const panel = page.locator('section').filter({ hasText: 'Show the screen to others' });
  await panel.waitFor();
  return {
    page,
    panel,
    /** Chooses for whom the link is, and makes it. @returns the link */
    make: async (audience: string, account?: string): Promise<string> => {
      await panel.getByLabel('For', { exact: true }).selectOption({ label: audience });
      if (account !== undefined) await panel.getByLabel('E-mail address of the account').fill(account);
      await panel.getByRole('button', { name: 'Make a link' }).click();
      const shown = panel.getByText('/svc/watch#').last();
      await shown.waitFor();
      return (await shown.textContent()) ?? '';
    },
  };
}

/** Opens a link and waits until the page shows a picture of the phone. */
async function watching(link: string, cookie?: string) {
  const options = cookie === undefined ? {} : { cookie };
  const page = await browsers.page({ baseURL: lab.url, refusals: [401, 404], cuts: true, ...options });
  await page.goto(link);
  await page.getByRole('img').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  return page;
}

it('the holder shows a phone to a team, sees who watches, and cuts this spectator on the page', async () => {
  const { panel, make } = await holder();
  const link = await make('team Watchers');
  const spectator = await watching(link, bob.cookie);
  await panel.getByText('bob@example.org').waitFor({ timeout: 15_000 });
  await panel.getByRole('button', { name: 'Cut' }).click();
  await spectator.getByText('The picture has ended').waitFor();
  await panel.getByText('bob@example.org').waitFor({ state: 'detached' });
  await panel.getByText('For a team until').waitFor();
});

it('the holder shows a phone to anyone with the link, and ends the link on the page', async () => {
  const { panel, make } = await holder();
  const before = await panel.getByRole('button', { name: 'End' }).count();
  const link = await make('anyone with the link, if the lab allows it');
  const spectator = await watching(link);
  await panel.getByText('Somebody at').waitFor({ timeout: 15_000 });
  await panel.getByText('For anybody until').waitFor();
  await panel.getByRole('button', { name: 'End' }).nth(before).click();
  await panel.page().getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await spectator.getByText('The picture has ended').waitFor();
  await panel.getByText('For anybody until').waitFor({ state: 'detached' });
});

it('a link is made for the address of any account, also of one that does not exist', async () => {
  const { panel, make } = await holder();
  await make('one account', 'bob@example.org');
  await make('one account', 'stranger@example.org');
  await panel.getByText('For an account until').nth(1).waitFor();
});
