import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freshDataDir,
  type KeyPair,
  makeToken,
  type RunningServer,
  request,
  startLab,
} from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import {
  createSession,
  makePerson,
  type Person,
  pairOf,
  startBareAppium,
  superAdmin,
} from '../support/sessions.ts';

const PATHS = [
  '/appium/sessions',
  '/auto/sessions',
  '/AUTO/Sessions/',
  '/appium/sessions?x=1',
  'http://x/auto/sessions',
];

describe('the session list (spec 5.7.8)', () => {
  let lab: RunningServer;
  let admin: KeyPair;
  let ana: Person;
  let bob: Person;
  let ids: { ana: string; bob: string; nobody: string };

  beforeAll(async () => {
    const dataDir = freshDataDir();
    // Key pairs work without the signing key, but signed tokens cannot be checked.
    writeFileSync(join(dataDir, 'signing-key.pem'), 'no key');
    const env = {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_LAB_SESSION_DISCOVERY: 'true',
      SVC_BASE_PATH: '/wd/hub',
    };
    lab = await startLab({ dataDir, env: { ...env, SVC_LAB_LOG_LEVEL: 'debug' } });
    const cookie = await superAdmin(lab);
    admin = await makeToken(lab.url, cookie);
    ana = await makePerson(lab, cookie, 'ana@example.org');
    bob = await makePerson(lab, cookie, 'bob@example.org');
    const create = async (options: object) =>
      (await createSession(lab.url, { ...options })).body.value.sessionId;
    ids = { ana: await create(pairOf(ana)), bob: await create(pairOf(bob)), nobody: await create({}) };
  });
  afterAll(() => lab?.stop());

  const list = async (target: string, headers: Record<string, string> = {}, method = 'GET') => {
    const full = target.startsWith('/') ? `/wd/hub${target}` : target.replace('/auto', '/wd/hub/auto');
    const answer = await rawRequest(lab.url, full, { method, headers });
    const listed = answer.status === 200 && answer.body !== '' ? JSON.parse(answer.body).value : undefined;
    return { ...answer, ids: listed?.map(({ id }: { id: string }) => id).sort() };
  };

  it.each(PATHS)('%s: own ones, all for admins, none without credentials', async (path) => {
    expect((await list(path, { ...ana.headers })).ids).toEqual([ids.ana]);
    expect((await list(path, { ...bob.headers })).ids).toEqual([ids.bob]);
    expect((await list(path, { ...admin.headers })).ids).toEqual(Object.values(ids).sort());
    for (const headers of [
      {},
      { cookie: ana.cookie },
      { 'x-svc-access-key': ana.accessKey },
      { ...ana.headers, 'x-svc-token': bob.token },
      { authorization: 'Basic YTpi' },
    ]) {
      expect((await list(path, headers as Record<string, string>)).ids).toEqual([]);
    }
  });

  it('each with id, time and capabilities, as the automation server lists them', async () => {
    const { body } = await list('/auto/sessions', { ...ana.headers });
    expect(JSON.parse(body).value).toEqual([
      {
        id: ids.ana,
        created: expect.anything(),
        capabilities: expect.objectContaining({ platformName: 'Fake' }),
      },
    ]);
  });

  it('the session list is the same by HEAD and by an overridden POST as by GET (contract 7)', async () => {
    const lengths = await Promise.all(
      [{}, ana.headers, admin.headers].map(async (headers) => {
        const { headers: sent, status, body } = await list('/appium/sessions', { ...headers }, 'HEAD');
        expect({ status, body }).toEqual({ status: 200, body: '' });
        return Number(sent.find(([name]) => /^content-length$/i.test(name))?.[1]);
      }),
    );
    expect(lengths[0]).toBe('{"value":[]}'.length);
    expect(lengths[1]).toBeLessThan(lengths[2] as number);
    const override = { 'X-HTTP-Method-Override': 'GET' };
    expect((await list('/appium/sessions', override, 'POST')).ids).toEqual([]);
    expect((await list('/appium/sessions', { ...override, ...ana.headers }, 'POST')).ids).toEqual([ids.ana]);
  });

  it('an answer is never replayed to another caller (contract 7)', async () => {
    const headers = { 'X-HTTP-Method-Override': 'GET', 'X-Idempotency-Key': 'same' };
    const asked = (more: object) => list('/appium/sessions', { ...headers, ...more }, 'POST');
    expect((await asked(admin.headers)).ids).toHaveLength(3);
    expect((await asked({})).ids).toEqual([]);
    expect((await asked(bob.headers)).ids).toEqual([ids.bob]);
  });

  it('the log has no other session of the list either, because it shows the answer (spec 5.7.8)', async () => {
    const before = lab.output().length;
    await list('/appium/sessions', { ...bob.headers });
    const said = lab.output().slice(before);
    expect(said).toContain(ids.bob);
    expect(said.match(/Responding to client with driver\.getAppiumSessions.*$/m)?.[0]).not.toContain(ids.ana);
  });

  it('503 when the credentials cannot be checked, never the full list', async () => {
    for (const path of PATHS) {
      const { status, body } = await list(path, { authorization: 'Bearer a.b.c' });
      expect(status).toBe(503);
      expect(body).toContain('access to the session could not be verified');
      for (const id of Object.values(ids)) expect(body).not.toContain(id);
    }
  });
});

it('the error of the automation server is passed on unchanged (spec 5.7.8)', async () => {
  const [lab, bare] = await Promise.all([
    startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } }),
    startBareAppium(),
  ]);
  const { headers } = await makeToken(lab.url, await superAdmin(lab));
  /** @returns the error without its stack, which contains the names of plugins */
  const errorIn = ({ status, body }: { status: number; body: string }) => {
    const { error, message, stacktrace } = JSON.parse(body).value;
    return { status, error, message, began: stacktrace.split('\n')[0] };
  };
  const appiums = await rawRequest(bare.url, '/appium/sessions');
  expect(errorIn(appiums)).toMatchObject({ status: 500, error: 'unknown error' });
  for (const sent of [{}, { ...headers }]) {
    for (const path of ['/appium/sessions', '/auto/sessions']) {
      const ours = await rawRequest(lab.url, path, { headers: sent });
      expect(errorIn(ours)).toEqual(errorIn(appiums));
    }
  }
  await Promise.all([lab.stop(), bare.stop()]);
});

it('the session list is complete without the command check (spec 5.7.1)', async () => {
  const lab = await startLab({ env: { SVC_LAB_SESSION_DISCOVERY: 'true' } });
  const { body } = await createSession(lab.url, {});
  for (const path of ['/appium/sessions', '/auto/sessions']) {
    const listed = (await (await request(`${lab.url}${path}`)).json()) as { value: { id: string }[] };
    expect(listed.value.map(({ id }) => id)).toEqual([body.value.sessionId]);
  }
  await lab.stop();
});
