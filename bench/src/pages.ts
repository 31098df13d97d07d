import { type Browser, chromium, type Page } from 'playwright-core';
import { startServer } from './child.ts';
import { labCookie, startLab } from './hub/lab-process.ts';
import { quantile } from './pace.ts';
import type { SessionsFacts, SessionsInput } from './pages/sessions-server.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const ROUNDS = sized({ short: 2, usual: 4, long: 7 });
const WANTED_MS = 1_000;
const SESSIONS = 10_000;
/** Pixels per frame of a fast mouse wheel. */
const PX_A_FRAME = 300;
const FRAMES = sized({ short: 200, usual: 600, long: 1_500 });
/** Twice the time per frame of a 60 Hz screen. */
const LATE_MS = 33.4;

const PAGES = [
  ...['sign-in', 'devices', 'sessions', 'profile', 'users', 'teams', 'api-keys', 'audit'],
  ...['command-check', 'settings', 'access', 'api-reference'],
];

/**
 * Measures the first load of every page of a real lab with an empty cache, from the start of the navigation until the
 * content is drawn, and the frames while a list of 10,000 sessions scrolls. Both are compared in the same browser: with
 * the load of a document without a script, and with the frames of an idle page.
 */
export async function pagesBench(report: Report): Promise<void> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args });
  try {
    await firstLoads(report, browser);
    await scrolling(report, browser);
  } finally {
    await browser.close();
  }
}

async function firstLoads(report: Report, browser: Browser): Promise<void> {
  report.begin(
    'First load of a page',
    'A real lab and Chromium with an empty cache: from the start of the navigation until the content is drawn',
  );
  const lab = await startLab({});
  const cookie = await labCookie(lab.url);
  const took = new Map<string, number[]>(['', ...PAGES].map((page) => [page, []]));
  // The first round warms up the server and the browser and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const page of ['', ...PAGES]) {
      const ms = await firstLoad(browser, lab.url, page, page === 'sign-in' ? '' : cookie);
      if (round > 0) took.get(page)?.push(ms);
    }
  }
  await lab.stop();
  report.add({ what: 'a document without a script', values: took.get('') ?? [], unit: 'ms' });
  for (const page of PAGES)
    report.add({ what: page, values: took.get(page) ?? [], unit: 'ms', goal: { atMost: WANTED_MS } });
}

/**
 * Loads a page in a new profile, whose cache is empty, and returns the milliseconds. An empty `page` means the document
 * at `/`.
 */
async function firstLoad(browser: Browser, url: string, page: string, cookie: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    if (cookie !== '') await context.addCookies([cookieOf(cookie, url)]);
    const opened = await context.newPage();
    await opened.addInitScript(WATCH_CONTENT);
    await opened.goto(`${url}${page === '' ? '/' : `/svc/${page}`}`);
    return await opened.evaluate<number>('contentShown');
  } finally {
    await context.close();
  }
}

/** Resolves with the frame that shows the heading when nothing is loading any more. */
const WATCH_CONTENT = `window.contentShown = new Promise((shown) => {
  const isThere = () =>
    document.readyState !== 'loading' &&
    document.querySelector('h1') !== null &&
    document.querySelector('.state-loading, [aria-busy=true]') === null;
  const look = () => {
    if (!isThere()) return;
    requestAnimationFrame(() => requestAnimationFrame(() => isThere() && shown(performance.now())));
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
  addEventListener('load', look);
})`;

function cookieOf(cookie: string, url: string) {
  const [name, value] = cookie.split('=', 2) as [string, string];
  return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
}

async function scrolling(report: Report, browser: Browser): Promise<void> {
  report.begin(
    'Scrolling through sessions',
    `${SESSIONS} sessions, ${PX_A_FRAME} px a frame, ${FRAMES} frames each way: times from frame to frame in Chromium`,
  );
  const input: SessionsInput = { sessions: SESSIONS };
  const server = await startServer<SessionsFacts>('./pages/sessions-server.js', input);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([cookieOf(server.facts.cookie, server.url)]);
  const page = await context.newPage();
  await page.goto(`${server.url}/svc/sessions`);
  await page.getByRole('link', { name: `test ${SESSIONS}`, exact: true }).waitFor();
  const rest = await frames(page, 0, Math.min(FRAMES, 300));
  const down = await frames(page, PX_A_FRAME, FRAMES);
  const up = await frames(page, -PX_A_FRAME, FRAMES);
  await context.close();
  await server.stop();
  addRows(report, 'at rest', rest);
  addRows(report, 'down, loading rows', down);
  addRows(report, 'back up', up);
}

/** Milliseconds between frames while the list scrolls by `px` in each. */
function frames(page: Page, px: number, count: number): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((done) => {
    const box = document.querySelector('.table-box');
    const times = [];
    let before;
    const next = (now) => {
      if (before !== undefined) times.push(now - before);
      before = now;
      if (times.length === ${count}) return done(times);
      box.scrollTop += ${px};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}

function addRows(report: Report, what: string, times: readonly number[]): void {
  report.add({ what: `${what}, median`, values: [quantile(times, 0.5)], unit: 'ms' });
  report.add({
    what: `${what}, p95`,
    values: [quantile(times, 0.95)],
    unit: 'ms',
    goal: { atMost: LATE_MS },
  });
}
