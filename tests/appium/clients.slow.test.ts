import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { Capabilities, WebDriver } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { labInfo, makeToken, type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LAB_LOG_LEVEL: 'debug' } });
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
});

afterAll(() => lab?.stop());

async function drive(headers: Record<string, string>) {
  const { port } = new URL(lab.url);
  const { capabilities } = await labInfo(lab.url);
  return remote({
    hostname: '127.0.0.1',
    port: Number(port),
    path: '/',
    logLevel: 'silent',
    connectionRetryCount: 0,
    headers,
    capabilities: { ...capabilities, 'svc:options': pairOf(ana) } as WebdriverIO.Capabilities,
  });
}

/** The package is loaded with `require`, because an ES module cannot import this folder. */
const { Executor, HttpClient } = createRequire(import.meta.url)(
  'selenium-webdriver/http',
) as typeof import('selenium-webdriver/http', { with: { 'resolution-mode': 'require' }});

/** selenium-webdriver has no option for headers, so they are added in the documented place. */
class HeaderClient extends HttpClient {
  readonly #extra: Record<string, string>;
  constructor(url: string, extra: Record<string, string>) {
    super(url);
    this.#extra = extra;
  }
  override send(httpRequest: Parameters<InstanceType<typeof HttpClient>['send']>[0]) {
    const { headers } = httpRequest as unknown as { headers: Map<string, string> };
    for (const [name, value] of Object.entries(this.#extra)) headers.set(name, value);
    return super.send(httpRequest);
  }
}

async function seleniumDriver(headers: Record<string, string>) {
  const { capabilities } = await labInfo(lab.url);
  const executor = new Executor(new HeaderClient(lab.url, headers));
  return WebDriver.createSession(
    executor,
    new Capabilities({ browserName: '', ...capabilities, 'svc:options': pairOf(ana) }),
  );
}

describe('WebdriverIO', () => {
  it('WebdriverIO creates with svc:options and drives with headers', async () => {
    const driver = await drive(ana.headers);
    expect(await driver.getPageSource()).toContain('<');
    expect(driver.capabilities).not.toHaveProperty('svc:options');
    await driver.deleteSession();
  });

  it('WebdriverIO without headers gets a session and then `invalid session id` (specification 5.7.10)', async () => {
    const driver = await drive({});
    await expect(driver.getPageSource()).rejects.toThrow(/A session is either terminated or not started/);
    const owned = await request(`${lab.url}/session/${driver.sessionId}`, {
      method: 'DELETE',
      headers: ana.headers,
    });
    expect(owned.status).toBe(200);
  });
});

describe('selenium-webdriver', () => {
  it('selenium-webdriver creates with svc:options and drives with headers', async () => {
    const driver = await seleniumDriver(ana.headers);
    expect(await driver.getPageSource()).toContain('<');
    await driver.quit();
  });

  it('selenium-webdriver without headers is refused', async () => {
    const driver = await seleniumDriver({});
    const { id_: id } = (await driver.getSession()) as unknown as { id_: string };
    await expect(driver.getPageSource()).rejects.toMatchObject({ name: 'NoSuchSessionError' });
    expect(
      (await request(`${lab.url}/session/${id}`, { method: 'DELETE', headers: ana.headers })).status,
    ).toBe(200);
  });
});

describe('who may drive (specification 5.4.2, 5.7.3)', () => {
  it('the owner by pair or bearer, a Super admin, nobody else', async () => {
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    const read = async (headers: Record<string, string>) => {
      const answer = await request(`${lab.url}/session/${id}/timeouts`, { headers });
      return { status: answer.status, body: await answer.text() };
    };
    const bearerOf = async (cookie: string, audience: string) => {
      const answer = await lab.api('/auth/token', {
        method: 'POST',
        headers: { cookie },
        json: { audience },
      });
      return { authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
    };
    const refused = { status: 404, body: UNKNOWN_SESSION_BODY };
    for (const headers of [
      ana.headers,
      await bearerOf(ana.cookie, 'svc-rest'),
      await bearerOf(ana.cookie, 'svc-mcp'),
      await bearerOf(admin, 'svc-rest'),
    ]) {
      expect((await read(headers)).status).toBe(200);
    }
    for (const headers of [
      {},
      bob.headers,
      { cookie: ana.cookie },
      { 'x-svc-access-key': ana.accessKey },
      { 'x-svc-access-key': bob.accessKey, 'x-svc-token': ana.token },
      { ...ana.headers, 'x-svc-token': `${ana.token}x` },
      { authorization: 'Bearer x.y.z' },
      await bearerOf(bob.cookie, 'svc-rest'),
    ]) {
      expect(await read(headers as Record<string, string>)).toEqual(refused);
    }
    const gone = await request(`${lab.url}/session/${'0'.repeat(8)}/timeouts`, { headers: ana.headers });
    expect({ status: gone.status, body: await gone.text() }).toEqual(refused);
    expect(lab.output()).toContain(
      `Command refused: GET /session/${id}/timeouts (session ${id}, caller no credentials): `,
    );
    expect(lab.output()).toContain(
      `Command refused: GET /session/${id}/timeouts (session ${id}, caller ${bob.userId}): `,
    );
    expect(lab.output()).toContain(
      `Command refused: GET /session/${id}/timeouts (session ${id}, caller invalid credentials): `,
    );
    await request(`${lab.url}/session/${id}`, { method: 'DELETE', headers: ana.headers });
  });

  it('a deactivated user stops at once, remembered or not', async () => {
    const eve = await makePerson(lab, admin, 'eve@example.org');
    const id = (await createSession(lab.url, pairOf(eve))).body.value.sessionId;
    const read = async (who: Person) =>
      (await request(`${lab.url}/session/${id}/timeouts`, { headers: who.headers })).status;
    expect(await read(eve)).toBe(200);
    await lab.api(`/users/${eve.userId}`, {
      method: 'PATCH',
      headers: { cookie: admin },
      json: { status: 'Inactive' },
    });
    expect(await read(eve)).toBe(404);
    const root = await request(`${lab.url}/session/${id}`, {
      method: 'DELETE',
      headers: (await makeAdminPair()).headers,
    });
    expect(root.status).toBe(200);
  });
});

const makeAdminPair = () => makeToken(lab.url, admin);

it('a session nobody owns is driven by admins only (spec 5.4.4)', async () => {
  const created = await createSession(lab.url, { accessKey: ana.accessKey, token: 'svct_wrong' });
  expect(created.status).toBe(200);
  const url = `${lab.url}/session/${created.body.value.sessionId}`;
  expect(await lab.line(/Session created without valid credentials/)).toContain(created.body.value.sessionId);
  expect((await request(`${url}/timeouts`, { headers: ana.headers })).status).toBe(404);
  expect((await request(url, { method: 'DELETE', headers: (await makeAdminPair()).headers })).status).toBe(
    200,
  );
});

it('no secret came to rest in any of this', () => {
  const secrets = [
    ana.token,
    bob.token,
    ana.cookie.split('=')[1],
    bob.cookie.split('=')[1],
    admin.split('=')[1],
  ];
  const files = readdirSync(lab.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  for (const place of [lab.output(), ...files]) {
    for (const secret of secrets) expect(place.includes(secret as string)).toBe(false);
  }
});
