import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { openAs, row, toasted } from './support/people.ts';

const browsers = useBrowser();

describe('the pages about shares', () => {
  let world: World;
  let member: Person;
  let team: { id: string; name: string };

  beforeAll(async () => {
    world = await World.start(startLab, { SVC_LAB_DEVICES: '1' });
    team = await world.ok('POST', '/teams', { as: world.root.as, json: { name: 'Payments' } });
    member = await world.person('Member', { teamIds: [team.id] });
  });
  afterAll(() => world.server.stop());

  const shares = () => world.ok('GET', '/usage/shares', { as: world.root.as });

  it('an Admin limits a team on its page, and sees what it uses', async () => {
    const page = await openAs(browsers, world, world.root.as, `teams?id=${team.id}`);
    await page.getByLabel('Leases at the same time').fill('1');
    await page.getByLabel('Minutes a day').fill('480');
    await page.getByRole('button', { name: 'Set limits' }).click();
    await toasted(page, 'The limits were saved');
    expect(await shares()).toMatchObject([
      { name: 'Payments', limits: { sessions: null, leases: 1, minutes: 480 } },
    ]);
    const lease = { udid: 'virtual-1', minutes: 5 };
    await world.ok('POST', '/leases', { as: member.as, json: lease });
    await page.reload();
    await page.getByText('Now used: 1.').waitFor();
    expect(await page.getByLabel('Minutes a day').inputValue()).toBe('480');
    await inspect(page, 'team-limits');
    await page.getByLabel('Leases at the same time').fill('');
    await page.getByLabel('Minutes a day').fill('');
    await page.getByRole('button', { name: 'Set limits' }).click();
    await toasted(page, 'The limits were saved');
    expect(await shares()).toEqual([]);
  });

  it('an Admin limits a user in the form of the user', async () => {
    const page = await openAs(browsers, world, world.root.as, `users?search=${member.email}`);
    await (await row(page, 'Users', member.email)).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog').first();
    await dialog.getByLabel('Sessions at the same time').fill('2');
    await dialog.getByRole('button', { name: 'Set limits' }).click();
    await toasted(page, 'The limits were saved');
    await inspect(page, 'user-limits');
    expect(await shares()).toMatchObject([{ kind: 'account', name: member.email, limits: { sessions: 2 } }]);
  });

  it('the use of a month is shown to Admins with a file to download, and by person if the lab shows it', async () => {
    await world.ok('POST', '/config', { as: world.root.as, json: { usageByPerson: 'on' } });
    const month = new Date().toISOString().slice(0, 7);
    const page = await openAs(browsers, world, world.root.as, 'devices?use=week');
    await page.getByLabel('Period').selectOption(month);
    const words = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await page.getByRole('heading', { level: 1, name: `Use in ${words.format(new Date(month))}` }).waitFor();
    await row(page, 'By phone', 'Virtual phone 1');
    await row(page, 'By person', member.email);
    await inspect(page, 'usage-month');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`usage-${month}.csv`);
    const members = await openAs(browsers, world, member.as, 'devices?use=week');
    await row(members, 'By phone', 'Virtual phone 1');
    expect(await members.getByLabel('Period').count()).toBe(0);
  });
});
