import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/**
 * One Chromium for each test file, used as a person would. A test fails if its page logs an error, throws, or violates
 * its policy (Content-Security-Policy, Trusted Types).
 */

/** Chromium's message for a response, or a WebSocket, that was refused with a status. */
const REFUSED = /(?:responded with a status of|WebSocket handshake: Unexpected response code:) (\d+)/;
/** Chromium's message for a connection that is cut before the response or during a WebSocket handshake. */
const CUT =
  /net::ERR_(?:CONNECTION|INCOMPLETE|EMPTY)|Connection closed before receiving a handshake response/;

const WIDE = { width: 1280, height: 800 };

export interface PageOptions extends BrowserContextOptions {
  /** Cookie of a user who is signed in before the first page opens. */
  readonly cookie?: string;
  /** Statuses of refusals that the test causes, because the browser reports each as an error. */
  readonly refusals?: readonly number[];
  /** Whether the test cuts connections. The browser reports each cut connection as an error. */
  readonly cuts?: boolean;
}

export interface Browsers {
  /** Opens a blank page in a new browser profile. */
  page(options?: PageOptions): Promise<Page>;
}

/** Call it once, at the top of a test file. */
export function useBrowser(): Browsers {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: chromiumAt(), args });
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const found = problems.splice(0);
    expect(found, found.join('\n')).toEqual([]);
  });
  afterAll(() => browser?.close());

  return {
    page: async ({ cookie, refusals = [], cuts = false, ...options } = {}) => {
      const storageState = cookie === undefined ? undefined : signedIn(cookie, options.baseURL);
      const context = await browser.newContext({
        viewport: WIDE,
        ...(storageState && { storageState }),
        ...options,
      });
      contexts.push(context);
      await collect(context, problems, { refusals, cuts });
      return context.newPage();
    },
  };
}

/** Converts the cookie `name=value`, as `signIn` returns it, to the form that the browser needs. */
function signedIn(cookie: string, url: string | undefined) {
  if (url === undefined) throw new Error('a cookie needs `baseURL`');
  const { hostname: domain, origin } = new URL(url);
  const [name, value] = cookie.split('=', 2) as [string, string];
  const kept = {
    name,
    value,
    domain,
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: 'Strict',
  } as const;
  return {
    cookies: [kept],
    origins: [{ origin, localStorage: [{ name: 'svc-signed-in', value: 'yes' }] }],
  };
}

async function collect(
  context: BrowserContext,
  problems: string[],
  { refusals, cuts }: { refusals: readonly number[]; cuts: boolean },
): Promise<void> {
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      console.error('policy: ' + effectiveDirective + ' blocked ' + blockedURI));
  `);
  context.on('console', (message) => {
    const text = message.text();
    const status = REFUSED.exec(text)?.[1];
    if (status !== undefined && refusals.includes(Number(status))) return;
    if (cuts && CUT.test(text)) return;
    if (message.type() === 'error' || /Content.Security.Policy|Trusted/i.test(text)) problems.push(text);
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
}

function chromiumAt(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
  if (found === undefined)
    throw new Error('tests/e2e needs the Debian package chromium: apt-get install chromium');
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
