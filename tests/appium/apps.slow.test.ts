import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcClient } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const preload = fileURLToPath(new URL('downloading-driver.mjs', import.meta.url));
const APP = '<app title="From the library"><note>library note</note></app>';

/** @returns everything that the server wrote, to its output and its files */
function remains(lab: RunningServer): string {
  const files = readdirSync(lab.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return [
    lab.output(),
    ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  ].join();
}

describe('sessions with apps of the library (contract 2, apps)', () => {
  let lab: RunningServer;
  let ana: Person;
  let app: string;

  beforeAll(async () => {
    lab = await startLab({
      env: {
        NODE_OPTIONS: `--import=${preload}`,
        SVC_REQUIRE_COMMAND_AUTH: 'true',
        SVC_LAB_LOG_LEVEL: 'debug',
        SVC_LAB_DEVICES: '1',
      },
    });
    const cookie = await superAdmin(lab);
    ana = await makePerson(lab, cookie, 'ana@example.org');
    const client = new SvcClient({ url: lab.url, credential: { cookie } });
    app = `svc:app/${(await client.uploadApp(new Blob([APP]), 'library "app".xml')).id}`;
  });
  afterAll(() => lab?.stop());

  const create = (capabilities: object, options: object = pairOf(ana)) =>
    createSession(lab.url, { ...options }, { capabilities: { ...capabilities } });
  const asAna = (path: string, method = 'GET') =>
    request(`${lab.url}${path}`, { method, headers: ana.headers });

  it.each([
    ['appium:app', () => ({ 'appium:app': app })],
    ['appium:options', () => ({ 'appium:app': undefined, 'appium:options': { app } })],
  ])(
    'named in %s are downloaded by the driver, and stay named (specification 5.8.2)',
    async (_, capabilities) => {
      const { status, body } = await create(capabilities());
      expect(body).toMatchObject({ value: { capabilities: { app } } });
      expect(status).toBe(200);
      const id = body.value.sessionId;
      expect(await (await asAna(`/session/${id}/source`)).text()).toContain('library note');
      expect(await (await asAna(`/session/${id}`)).json()).toMatchObject({ value: { app } });
      const record = await (await lab.api(`/session/${id}`, { headers: ana.headers })).json();
      expect(record).toMatchObject({ capabilities: { app } });
      expect((await asAna(`/session/${id}`, 'DELETE')).status).toBe(200);
    },
  );

  it('sessions with apps of the library are downloaded once with one ticket; the error names the app and not its address (specification 5.8.2)', async () => {
    const { status, body } = await create({ 'appium:app': app, 'appium:fullReset': true });
    expect(status).toBe(500);
    expect(body.value.message).toContain(`Cannot download the app from ${app}`);
    expect(JSON.stringify(body)).not.toContain('ticket=');
  });

  it.each([
    ['an unknown app', () => create({ 'appium:app': 'svc:app/nothing' }), 'has no app of that id'],
    ['no credentials', () => create({ 'appium:app': app }, {}), 'sessions with valid credentials'],
    ['wrong ones', () => create({ 'appium:app': app }, { ...pairOf(ana), token: 'x' }), 'valid credentials'],
  ])(
    'creates with an app and %s are refused, and the phone is free (contract 2, apps)',
    async (_, refused, message) => {
      expect(await refused()).toMatchObject({
        status: 400,
        body: { value: { error: 'invalid argument', message: expect.stringContaining(message) } },
      });
      const devices = await (await lab.api('/devices', { headers: ana.headers })).json();
      expect(devices).toMatchObject([{ status: 'free' }]);
    },
  );

  it('sessions with apps of the library leave their address in no log and no file (specification 5.8.2)', async () => {
    expect(lab.output()).toMatch(/Using downloadable app '.*download\?ticket=\*\*REDACTED\*\*/);
    const everything = remains(lab);
    expect(everything).not.toMatch(/ticket=(?!\*\*REDACTED)/);
    // The beginning of every signed ticket.
    expect(everything).not.toMatch(/eyJhbGciOi/);
  });
});
