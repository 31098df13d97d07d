import type { DriverSession } from '@svc/device-lab';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { signIn } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const MANY = 10_000;

const browsers = useBrowser();
let running: RunningApp;
let url: string;

beforeAll(async () => {
  running = await openApp();
  url = await running.app.listen({ host: '127.0.0.1', port: 0 });
  const { stores, modules } = running.services;
  const { lab } = modules.lab.offers;
  stores.transaction(() => {
    for (let number = 1; number <= MANY; number++) lab.sessions.record(sessionOf(number));
  });
});
afterAll(() => running?.close());

const START = Date.UTC(2026, 0, 1);

function sessionOf(number: number): DriverSession {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name: `test ${number}`,
    status: number % 10 === 0 ? 'failed' : 'passed',
    ownerId: null,
    device: { udid: `phone-${number % 40}`, name: `Phone ${number % 40}`, platform: 'Fake', osVersion: '1' },
    node: null,
    startedAt: START + number * 1_000,
    endedAt: START + number * 1_000 + 900,
    failureCategory: null,
    failureReason: null,
    tags: number % 3 === 0 ? ['smoke', 'nightly'] : [],
    healingTiers: null,
    startedBy: null,
    capabilities: { platformName: 'Fake' },
  };
}

it('10,000 sessions scroll to the last one while few rows exist (contract 2 /sessions)', async () => {
  const page = await browsers.page({ baseURL: url, cookie: await signIn(url) });
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: true });
  `);
  await page.goto('/svc/sessions');
  await page.getByRole('link', { name: `test ${MANY}`, exact: true }).waitFor();
  await inspect(page, 'sessions-many');

  const box = page.locator('.table-box');
  let most = 0;
  const frames: number[] = [];
  const oldest = page.getByRole('link', { name: 'test 1', exact: true });
  while ((await oldest.count()) === 0) {
    const [rows, ms] = await page.evaluate<[number, number]>(`(async () => {
      const element = document.querySelector('.table-box');
      const began = performance.now();
      element.scrollTop += element.clientHeight * 20;
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return [element.querySelectorAll('tr').length, performance.now() - began];
    })()`);
    most = Math.max(most, rows);
    frames.push(ms);
  }
  expect(most).toBeLessThan(150);
  expect(await page.locator('table').getAttribute('aria-rowcount')).toBe(`${MANY + 1}`);
  const tasks = (await page.evaluate('longTasks')) as number[];
  frames.sort((a, b) => a - b);
  console.log(
    `10,000 sessions: at most ${most} rows; two frames take ${frames[frames.length >> 1]?.toFixed(0)} ms (median), ` +
      `${frames.at(-1)?.toFixed(0)} ms (most); ${tasks.length} tasks over 50 ms, the longest ${Math.max(0, ...tasks).toFixed(0)} ms`,
  );

  // By keyboard, and with a search that the server runs over all sessions.
  await box.locator('tbody tr[data-index]').first().focus();
  await page.keyboard.press('Home');
  await expect
    .poll(() => page.evaluate(`document.activeElement?.textContent ?? ''`))
    .toContain(`test ${MANY}`);
  await page.getByLabel(/^Search/).fill('test 77');
  await expect.poll(() => page.locator('tbody tr[data-index]').count()).toBeGreaterThan(10);
  await page.getByRole('link', { name: 'test 7799', exact: true }).waitFor();
});

it('the page of 10,000 sessions ends below its list at each width, and the list ends with its last row (contract 2 /sessions)', async () => {
  const page = await browsers.page({ baseURL: url, cookie: await signIn(url) });
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/svc/sessions?search=test 77');
    await page.getByRole('link', { name: 'test 7799', exact: true }).waitFor();
    await page.locator('.table-many').waitFor();
    const measure = () =>
      page.evaluate<{ last: string; below: number; cut: number }>(`(() => {
        const element = document.querySelector('.table-box');
        element.scrollTop = element.scrollHeight;
        const box = element.getBoundingClientRect();
        const row = [...document.querySelectorAll('tr[data-index]')].at(-1);
        return {
          last: row.querySelector('a').textContent,
          below: document.documentElement.scrollHeight - (box.bottom + scrollY),
          cut: Math.abs(row.getBoundingClientRect().bottom - box.bottom),
        };
      })()`);
    // The list grows while the heights of its rows become known.
    await expect
      .poll(measure, { message: `${width} px` })
      .toSatisfy(({ last, below, cut }) => last === 'test 77' && below < 100 && cut < 4);
  }
});
