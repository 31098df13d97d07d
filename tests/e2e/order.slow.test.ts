import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { createSession } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();

let lab: RunningServer;
let root: string;
beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } });
  root = await signIn(lab.url);
});
afterAll(() => lab.stop());

it('the server sorts sessions by time and duration and audit rows by time, and the address keeps the order (contract 2)', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { body } = await createSession(lab.url, undefined);
    ids.push(body.value.sessionId);
    await request(`${lab.url}/session/${body.value.sessionId}`, { method: 'DELETE' });
  }
  const page = await browsers.page({ baseURL: lab.url, cookie: root });
  await page.goto('/svc/sessions');
  const first = (table: string) => page.getByRole('table', { name: table }).locator('tbody tr').first();
  const link = (id = '') => first('Sessions').locator(`a[href*="${id}"]`).first().waitFor();
  await link(ids[1]);
  const sorted = (column: string) =>
    page.getByRole('columnheader', { name: column }).getAttribute('aria-sort');
  expect([await sorted('Started'), await sorted('Duration')]).toEqual(['descending', 'none']);
  await page.getByRole('button', { name: 'Started' }).click();
  await link(ids[0]);
  expect(await sorted('Started')).toBe('ascending');
  await page.reload();
  await link(ids[0]);
  await inspect(page, 'sessions-oldest');
  const running = (await createSession(lab.url, undefined)).body.value.sessionId;
  await link(ids[0]);
  await page.getByRole('button', { name: 'Duration' }).click();
  await page.getByText('2 ended sessions').waitFor();
  expect(await sorted('Duration')).toBe('descending');
  const shown = () =>
    page
      .locator('tbody a[href*="sessions?id="]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect((await shown()).join()).not.toContain(running);
  await request(`${lab.url}/session/${running}`, { method: 'DELETE' });
  await page.getByText('3 ended sessions').waitFor();
  const longest = await shown();
  await page.getByRole('button', { name: 'Duration' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('shortest');
  await expect.poll(shown).toEqual(longest.toReversed());

  await page.goto('/svc/audit');
  const answer = await request(`${lab.url}/svc/api/audit?order=oldest&limit=1`, {
    headers: { cookie: root },
  });
  const { items } = (await answer.json()) as { items: { event: string }[] };
  await first('Audit trail').waitFor();
  await page.getByRole('button', { name: 'Time' }).click();
  await expect.poll(() => first('Audit trail').textContent()).toContain(items[0]?.event);
  expect(new URL(page.url()).searchParams.get('order')).toBe('oldest');
  await inspect(page, 'audit-oldest');
});
