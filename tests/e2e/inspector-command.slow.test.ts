import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningProcess, type RunningServer, runNode, startLab } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';

/**
 * `svc inspector` for the desktop app of Appium Inspector, which has the same pages as the released browser version but
 * does not run here. The browser version is therefore served by this test, as a page of another origin.
 */

const CLIENT = fileURLToPath(new URL('../../packages/client/bin/appium-svc-client.js', import.meta.url));
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };

let lab: RunningServer;
let ana: Person;
let id: string;
let files: string;
let app: Server;
let origin: string;
let command: RunningProcess;

beforeAll(async () => {
  const name = 'appium-inspector-plugin';
  files = join(installExtensions([`${name}@2025.8.1`])[name] as string, 'dist-browser');
  app = createServer(async (request, response) => {
    const path = normalize((request.url ?? '/').split('?', 1)[0] as string).replace(/^\/inspector\/?/, '');
    const found = await readFile(join(files, path || 'index.html')).catch(() => undefined);
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': TYPES[extname(path)] ?? (path === '' ? 'text/html' : 'application/octet-stream'),
    });
    response.end(found);
  }).listen(0, '127.0.0.1');
  await once(app, 'listening');
  origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  lab = await startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' } });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  const created = await createSession(lab.url, pairOf(ana), { capabilities: { 'appium:udid': 'virtual-2' } });
  id = created.body.value.sessionId;
  command = runNode(CLIENT, {
    args: ['inspector', 'virtual-2', '--allow-origin', origin],
    env: { SVC_URL: lab.url, SVC_ACCESS_KEY: ana.accessKey, SVC_TOKEN: ana.token },
  });
  await command.line(/^ {2}Session /);
}, 120_000);
afterAll(async () => {
  await command?.stop();
  app?.close();
  await lab?.stop();
});

const browsers = useBrowser();

const printed = (label: string) => new RegExp(`^  ${label} +(.+)$`, 'm').exec(command.stdout())?.[1] ?? '';

it('svc inspector prints the fields of the released app with their names, and the app attaches with them (contract 15.5)', async () => {
  const words = JSON.parse(await readFile(join(files, 'locales/en/translation.json'), 'utf8'));
  const labels = ['Remote Host', 'Remote Port', 'Remote Path'];
  expect(labels.map((label) => words[label])).toEqual(labels);
  expect(words.attachToSession).toBe('Attach to Session');
  expect(printed('Session')).toBe(id);
  const [hostname, port, path] = labels.map(printed);
  const server = { remote: { hostname, port: Number(port), path, ssl: false } };
  const state = JSON.stringify({ server, serverType: 'remote', attachSessId: printed('Session') });
  const page = await browsers.page({ refusals: [404] });
  await page.goto(`${origin}/inspector/?state=${encodeURIComponent(state)}&autoStart=1`);
  await page.getByText('<screen', { exact: false }).first().waitFor({ timeout: 60_000 });
  expect(command.output()).not.toContain(ana.token);
});

it('the address of svc inspector refuses pages of origins that were not named (contract 15.5)', async () => {
  const address = `http://${printed('Remote Host')}:${printed('Remote Port')}/session/${id}/source`;
  for (const other of ['http://attacker.example', 'null', `${origin}.attacker.example`])
    expect((await fetch(address, { headers: { origin: other } })).status, other).toBe(403);
  expect((await fetch(address)).status).toBe(200);
});
