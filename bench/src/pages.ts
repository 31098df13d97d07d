import { type Browser, chromium, type Page } from 'playwright-core';
import { startServer } from './child.ts';
import { labCookie, startLab } from './hub/lab-process.ts';
import { quantile } from './pace.ts';
import type { SessionsFacts, SessionsInput } from './pages/sessions-server.ts';

const SHORT = process.env.BENCH_SHORT === 'true';
const ROUNDS = SHORT ? 2 : 7;
const WANTED_MS = 1_000;
const SESSIONS = 10_000;
/** A fast wheel. */
const PX_A_FRAME = 300;
const FRAMES = SHORT ? 200 : 1_500;
/** Twice what a screen of 60 Hz grants. */
const LATE_MS = 33.4;

const PAGES = [
  ...['sign-in', 'devices', 'sessions', 'profile', 'users', 'teams', 'api-keys', 'audit'],
  ...['command-check', 'settings', 'access', 'api-reference'],
];

/**
 * The first load of every page of a real lab with an empty cache, from the start of the navigation until its content is
 * drawn; and frames while 10,000 sessions are scrolled through. Ratios are to a document without a script, and to the
 * frames of a page at rest, in the same browser.
 */
export async function pagesBench(): Promise<void> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args });
  try {
    await firstLoads(browser);
    await scrolling(browser);
  } finally {
    await browser.close();
  }
}

async function firstLoads(browser: Browser): Promise<void> {
  const lab = await startLab({});
  const cookie = await labCookie(lab.url);
  const took = new Map<string, number[]>(['', ...PAGES].map((page) => [page, []]));
  // The first round warms server and browser, and counts nothing.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const page of ['', ...PAGES]) {
      const ms = await firstLoad(browser, lab.url, page, page === 'sign-in' ? '' : cookie);
      if (round > 0) took.get(page)?.push(ms);
    }
  }
  await lab.stop();
  const plain = quantile(took.get('') ?? [], 0.5);
  console.log(
    `pages: first load, empty cache, ${ROUNDS} rounds; a document without a script takes ${plain.toFixed(0)} ms`,
  );
  for (const page of PAGES) {
    const times = took.get(page) ?? [];
    const [middle, most] = [quantile(times, 0.5), Math.max(...times)];
    console.log(
      `  ${page.padEnd(14)} ${(middle / plain).toFixed(1).padStart(5)}  (${middle.toFixed(0)} ms, at most ${most.toFixed(0)} ms)`,
    );
  }
  const slowest = Math.max(...PAGES.map((page) => quantile(took.get(page) ?? [], 0.5)));
  console.log(`  slowest, median: ${slowest.toFixed(0)} ms, wanted: under ${WANTED_MS} ms`);
}

/** Milliseconds; a profile of its own has nothing in its cache. `page` empty: the document at `/`. */
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

/** Notes when the heading is there and nothing is being loaded any more, as of the frame that shows it. */
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

async function scrolling(browser: Browser): Promise<void> {
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
  console.log(`pages: ${SESSIONS} sessions, ${PX_A_FRAME} px a frame, ${FRAMES} frames each way`);
  report('at rest', rest, rest);
  report('down, loading rows', down, rest);
  report('back up', up, rest);
}

/** Milliseconds from frame to frame while the list moves by so much in each. */
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

function report(what: string, times: readonly number[], rest: readonly number[]): void {
  const [middle, high] = [quantile(times, 0.5), quantile(times, 0.95)];
  const late = times.filter((ms) => ms > LATE_MS).length / times.length;
  console.log(
    `  ${what.padEnd(18)} p95 ${(high / quantile(rest, 0.95)).toFixed(2)}  (median ${middle.toFixed(1)} ms, p95 ${high.toFixed(1)} ms, most ${Math.max(...times).toFixed(0)} ms, ${(100 * late).toFixed(1)} % over ${LATE_MS} ms)`,
  );
}
