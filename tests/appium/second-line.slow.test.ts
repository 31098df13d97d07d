import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, runAppium, startAppium } from '../support/appium.ts';
import { freshDataDir, request } from '../support/lab.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const SECRET = 'canary-of-a-credential';

/**
 * Code of a plugin that creates a session itself, bypassing the gate. It returns and logs everything that its driver
 * got.
 */
const ELSEWHERE = `
  async getStatus(next, driver) {
    const { readFileSync, existsSync } = require('fs');
    if (!existsSync(process.env.ELSEWHERE)) return next();
    const capabilities = JSON.parse(readFileSync(process.env.ELSEWHERE, 'utf8'));
    log.info('created with ' + JSON.stringify({ token: '${SECRET}' }) + ' by a word of the operator');
    const { value, error } = await driver.executeCommand('createSession', capabilities, capabilities, capabilities);
    if (error) return { refused: error.message };
    const { opts, caps, originalCaps } = driver.sessions[value[0]];
    return { value, given: [opts, caps, originalCaps] };
  }
`;

describe('a create that does not come through the gate (spec 5.4)', () => {
  let lab: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  const file = join(freshDataDir(), 'capabilities.json');

  beforeAll(async () => {
    lab = await startAppium({
      plugins: ['elsewhere', 'svc'],
      own: { elsewhere: ELSEWHERE },
      env: { SVC_REQUIRE_SESSION_TOKEN: 'true', ELSEWHERE: file },
      args: ['--log-level', 'debug', '--log-filters', '["word of the operator"]'],
    });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  });
  afterAll(() => lab?.stop());

  const create = async (options: object) => {
    const alwaysMatch = { ...FAKE_PHONE, 'svc:options': options };
    writeFileSync(
      file,
      JSON.stringify({ alwaysMatch, firstMatch: [{ 'lab:options': { leaseToken: SECRET } }] }),
    );
    return await (await request(`${lab.url}/status`)).text();
  };

  it.each([
    ['no credentials', () => ({}), 'the session presented no valid credentials'],
    ['an invalid pair', () => ({ ...pairOf(ana), token: 'x' }), 'the session presented no valid credentials'],
    ['a session token of nobody', () => ({ sessionToken: 'x.y.z' }), 'sessionToken is invalid or expired'],
  ])(
    'a create that does not come through the gate is refused with %s (spec 5.4.1)',
    async (_what, options, message) => {
      expect(JSON.parse(await create(options())).value).toEqual({
        refused: expect.stringContaining(message),
      });
    },
  );

  it('a create that does not come through the gate has its owner, and neither driver nor answer nor log sees a secret (spec 5.5)', async () => {
    const text = await create({ ...pairOf(ana), leaseToken: SECRET });
    const { value, given } = JSON.parse(text).value;
    expect(given[0]).toMatchObject({ platformName: 'Fake' });
    for (const secret of [SECRET, ana.token, ana.accessKey]) {
      expect(text).not.toContain(secret);
      expect(lab.output()).not.toContain(secret);
    }
    const answer = await lab.api(`/session/${value[0]}`, { headers: ana.headers });
    expect(await answer.json()).toMatchObject({ owner: { email: 'ana@example.org' } });
  });

  it('the log lines of another plugin are masked, also by the operator’s rules (spec 5.5.4)', async () => {
    await create({});
    await lab.line(/\[elsewhere\] created with \{"token":"\*\*REDACTED\*\*"\} by a \*\*SECURE\*\*/);
    expect(lab.output()).not.toContain('word of the operator');
  });
});

/** @returns a preload that makes one module fail to load, as in an incomplete installation */
function withoutModule(name: string): string {
  const preload = join(freshDataDir(), 'preload.cjs');
  const hook = `export async function resolve(name, context, next) {
    if (name === '${name}') throw new Error('broken on purpose');
    return next(name, context);
  }`;
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  writeFileSync(
    preload,
    `const modules = require('node:module');
     modules.register(${JSON.stringify(url)});
     const resolve = modules._resolveFilename;
     modules._resolveFilename = (name, ...rest) => {
       if (name === '${name}') throw new Error('broken on purpose');
       return resolve(name, ...rest);
     };`,
  );
  return preload;
}

it.each(['appium/plugin.js', '@svc/api', '@svc/webdriver-gate'])(
  'the server does not start without %s, least of all unprotected (spec 5.7.9)',
  async (name) => {
    const appium = await runAppium({ preload: withoutModule(name) });
    const ended = await Promise.race([
      appium.exited,
      appium.line(/REST http interface listener started/).catch(() => appium.exited),
    ]);
    expect(ended).toMatchObject({ code: 1 });
    expect(appium.output()).toContain('broken on purpose');
  },
);

describe('the start-up check with a made-up secret (spec 5.5)', () => {
  const leak = (code: string) => `
    static async updateServer(app, server) {
      server.on('connection', (socket) => socket.on('data', (data) => { ${code} }));
    }
  `;

  it('the start-up check with a made-up secret finds it in a prefix (spec 5.5)', async () => {
    const own = {
      leak: leak(`require('appium/support').logger.getLogger('got ' + data).info('something');`),
    };
    const env = { SVC_REQUIRE_SESSION_TOKEN: 'true' };
    const appium = await runAppium({ env, own, plugins: ['leak', 'svc'] });
    expect(await appium.exited).toMatchObject({ code: 1 });
    expect(appium.output()).toContain('A secret of a create-session request appears in the log');
  });

  it('the start-up check with a made-up secret is no reason not to start where nobody signs in (spec 5.5)', async () => {
    const env = { SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_AUTH_DISABLED: 'true' };
    const own = { leak: leak(`log.info('got ' + data);`) };
    const appium = await startAppium({ env, own, plugins: ['leak', 'svc'] });
    expect(appium.output()).toContain('appears in the log: [leak]');
    await appium.stop();
  });
});
