import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { read, recordOf } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { startFirefox } from './support/firefox.ts';

/** Appium Inspector's own files, in two browsers, in front of a lab that requires credentials everywhere. */

const INSPECTOR = 'appium-inspector-plugin@2025.8.1';

let lab: RunningServer;
let ana: Person;
let id: string;

beforeAll(async () => {
  const folder = installExtensions([INSPECTOR])['appium-inspector-plugin'] as string;
  const strict = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };
  lab = await startLab({ env: { ...strict, APPIUM_HOME: dirname(dirname(folder)) } });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
}, 120_000);
afterAll(() => lab?.stop());

const browsers = useBrowser();

interface Made {
  readonly attachId: string;
  readonly url: string;
}

async function attach(): Promise<Made> {
  const answer = await lab.api(`/session/${id}/attach`, { method: 'POST', headers: ana.headers });
  return (await answer.json()) as Made;
}

function inspectorAt({ url }: Made): string {
  const { hostname, port, pathname } = new URL(url);
  const server = { remote: { hostname, port: Number(port), path: pathname, ssl: false } };
  const state = JSON.stringify({ server, serverType: 'remote', attachSessId: id });
  return `${lab.url}/svc/inspector/?state=${encodeURIComponent(state)}&autoStart=1`;
}

/** What the page's scripts reach beyond the attach address: nothing, if each field is as in `NOTHING`. */
const REACHED = `(async () => {
  // Firefox never answers some requests of a page without an origin, so each has a time limit.
  const limit = () => new Promise((done) => setTimeout(() => done('refused'), 5000));
  const tried = async (work) => { try { return await Promise.race([work(), limit()]); } catch { return 'refused'; } };
  const opened = { credentials: 'include' };
  return JSON.stringify({
    origin: self.origin,
    cookie: document.cookie,
    stored: localStorage.getItem('svc-theme'),
    me: await tried(async () => (await fetch('/svc/api/auth/me', opened)).status),
    page: await tried(async () => (await fetch('/svc/sessions', opened)).status),
    frame: await tried(() => new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.src = '/svc/sessions';
      // Firefox reports a blocked frame with this event alone, Chromium also loads an error page.
      addEventListener('securitypolicyviolation', () => done('refused'));
      frame.onload = () => { try { done(frame.contentDocument === null ? 'refused' : 'read'); } catch { done('refused'); } };
      document.body.append(frame);
    })),
    worker: await tried(async () => { await navigator.serviceWorker.register('/svc/inspector/svc-storage.js'); return 'registered'; }),
    databases: await tried(() => new Promise((done) => { const open = indexedDB.open('x'); open.onsuccess = () => done('opened'); open.onerror = () => done('refused'); })),
  });
})()`;
const NOTHING = {
  origin: 'null',
  cookie: '',
  stored: null,
  me: 'refused',
  page: 'refused',
  frame: 'refused',
  worker: 'refused',
  databases: 'refused',
};

describe('Appium Inspector', () => {
  it('Chromium inspects a session through an attach address, and the page reaches nothing else (contract 15.5)', async () => {
    const made = await attach();
    const signedIn = await browsers.page({ cookie: ana.cookie, baseURL: lab.url });
    const page = await signedIn.context().browser()?.newPage();
    if (page === undefined) throw new Error('the browser has closed');
    const cookies = await signedIn.context().cookies();
    await page.context().addCookies(cookies);
    const sent: { url: string; cookie: string | undefined }[] = [];
    page.on('request', (request) => sent.push({ url: request.url(), cookie: request.headers().cookie }));
    await page.goto(inspectorAt(made));
    await page.getByText('<screen', { exact: false }).first().waitFor({ timeout: 60_000 });
    const commands = sent.filter(({ url }) => url.startsWith(made.url));
    expect(commands.map(({ url }) => url.slice(made.url.length))).toContain(`/session/${id}/source`);
    expect(commands.every(({ cookie }) => cookie === undefined)).toBe(true);
    expect(JSON.parse((await page.evaluate(REACHED)) as string)).toEqual(NOTHING);
    await lab.api(`/session/${id}/attach/${made.attachId}`, { method: 'DELETE', headers: ana.headers });
    const status = `fetch(${JSON.stringify(`${made.url}/session/${id}/source`)}).then(({ status }) => status)`;
    expect(await page.evaluate(status)).toBe(404);
    await page.context().close();
    expect(lab.output()).not.toContain(made.url.slice(made.url.lastIndexOf('/') + 1));
  });

  it('Firefox inspects a session through an attach address, and the page reaches nothing else (contract 15.5)', async () => {
    const made = await attach();
    const firefox = await startFirefox();
    await firefox.goto(inspectorAt(made));
    await expect
      .poll(() => firefox.evaluate(`document.body.innerText.includes('<screen')`), { timeout: 60_000 })
      .toBe(true);
    expect(JSON.parse((await firefox.evaluate(REACHED)) as string)).toEqual(NOTHING);
  });

  it('the page of a reserved phone without a session starts one and opens it in Inspector, and the page of the session opens it again (contract 15.5)', async () => {
    const devices = await read<{ udid: string; status: string }[]>(lab, ana.headers, '/devices');
    const udid = devices.find(({ status }) => status === 'free')?.udid as string;
    const lease = await lab.api('/leases', {
      method: 'POST',
      headers: { cookie: ana.cookie },
      json: { udid, minutes: 5 },
    });
    expect(lease.status).toBe(201);
    const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie });
    await page.goto(`/svc/devices?udid=${udid}`);
    const source = async (): Promise<string> => {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('button', { name: 'Open in Inspector' }).click();
      const tab = await opened;
      await tab.getByText('<screen', { exact: false }).first().waitFor({ timeout: 60_000 });
      const { url, opener } = (await tab.evaluate(
        '({ url: location.href, opener: String(window.opener) })',
      )) as {
        url: string;
        opener: string;
      };
      expect(opener).toBe('null');
      await tab.close();
      return JSON.parse(new URL(url).searchParams.get('state') ?? '').attachSessId;
    };
    const started = await source();
    expect(await recordOf(lab, ana.headers, started)).toMatchObject({
      name: 'Appium Inspector',
      status: 'running',
      owner: { id: ana.userId },
      device: { udid },
    });
    await page.goto(`/svc/sessions?id=${started}`);
    expect(await source()).toBe(started);
    await fetch(`${lab.url}/session/${started}`, { method: 'DELETE', headers: ana.headers });
  });

  it('a phone that somebody else has reserved has no button for Inspector (contract 15.5)', async () => {
    const devices = await read<{ udid: string; status: string }[]>(lab, ana.headers, '/devices');
    const udid = devices.find(({ status }) => status === 'free')?.udid as string;
    const cookie = await superAdmin(lab);
    await lab.api('/leases', { method: 'POST', headers: { cookie }, json: { udid, minutes: 5 } });
    const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie });
    await page.goto(`/svc/devices?udid=${udid}`);
    await page.getByText('Leased to').first().waitFor();
    expect(await page.getByRole('button', { name: 'Open in Inspector' }).count()).toBe(0);
  });

  it('a page of Inspector can load only files of the package, and no file is read outside of it (contract 15.5)', async () => {
    const { headers } = await fetch(`${lab.url}/svc/inspector/`);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.has('set-cookie')).toBe(false);
    for (const path of [
      '../package.json',
      '..%2fpackage.json',
      'assets/..%2f..%2fpackage.json',
      'index.mjs',
      'assets/',
      'locales/en',
    ])
      expect((await fetch(`${lab.url}/svc/inspector/${path}`)).status, path).toBe(404);
  });
});
