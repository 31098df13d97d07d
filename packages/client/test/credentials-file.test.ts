import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { removeCredentials, storeCredentials } from '../src/command/store-credentials.ts';
import { credentialsPath } from '../src/credentials-file.ts';
import { fromEnv } from '../src/index.ts';

const DIST = new URL('../dist/command/store-credentials.js', import.meta.url).href;
const ONE = 'https://one.example:4723';
const TWO = 'https://two.example';
const entry = (name: string) => ({
  accessKey: `svc_${name}`,
  token: `svct_${name}secret`,
  tokenExpiresAt: '2030-01-31T12:00:00.000Z',
});

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  file = join(home, '.config/svc/credentials.json');
});
afterEach(() => rmSync(home, { recursive: true }));

function write(text: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

const pairOf = (env: Record<string, string>) => {
  const client = fromEnv({}, { HOME: home, ...env });
  return [client.url, client.keyPair?.token];
};

function errorOf(env: Record<string, string> = {}): string {
  try {
    fromEnv({}, { HOME: home, ...env });
  } catch (error) {
    return String(error);
  }
  return expect.unreachable('nothing was refused');
}

describe('storing credentials (contract 10.7)', () => {
  it('storing credentials writes one entry per address into a file that only its owner can read (contract 10.7)', () => {
    const umask = process.umask(0);
    try {
      storeCredentials({ HOME: home }, ONE, entry('one'));
      storeCredentials({ HOME: home }, TWO, entry('two'));
      expect(storeCredentials({ HOME: home }, ONE, entry('newer'))).toBe(file);
    } finally {
      process.umask(umask);
    }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [ONE]: entry('newer'), [TWO]: entry('two') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file))).toEqual(['credentials.json']);
  });

  it('storing credentials removes one entry and keeps the others (contract 10.7)', () => {
    storeCredentials({ HOME: home }, ONE, entry('one'));
    storeCredentials({ HOME: home }, TWO, entry('two'));
    removeCredentials({ HOME: home }, ONE);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [TWO]: entry('two') });
  });

  it('storing credentials keeps the entries of several processes that write at the same time (contract 10.7)', async () => {
    const code = `
      import { storeCredentials } from ${JSON.stringify(DIST)};
      for (let n = 0; n < 10; n++) {
        storeCredentials(process.env, 'https://lab-' + process.argv[1] + '-' + n + '.example', ${JSON.stringify(entry('x'))});
      }`;
    const ends = ['a', 'b', 'c'].map(async (name) => {
      const args = ['--input-type=module', '--eval', code, name];
      const child = spawn(process.execPath, args, { env: { HOME: home }, stdio: 'inherit' });
      const [status] = await once(child, 'close');
      return status;
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(30);
    expect(readdirSync(dirname(file))).toEqual(['credentials.json']);
  });

  it('storing credentials takes over a lock that a killed process left behind (contract 10.7)', () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, 1, 1);
    storeCredentials({ HOME: home }, ONE, entry('one'));
    expect(readdirSync(dirname(file))).toEqual(['credentials.json']);
  });

  it('storing credentials closes a folder that others could read (contract 10.7)', () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    storeCredentials({ HOME: home }, ONE, entry('one'));
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });

  test.each([
    [{ XDG_CONFIG_HOME: '/xdg', HOME: '/home/mia' }, '/xdg/svc/credentials.json'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/home/mia' }, '/home/mia/.config/svc/credentials.json'],
    [{ XDG_CONFIG_HOME: '', HOME: '/home/mia' }, '/home/mia/.config/svc/credentials.json'],
    [{ USERPROFILE: '/users/mia' }, '/users/mia/.config/svc/credentials.json'],
    [{}, undefined],
  ])('storing credentials uses the folder of %j (contract 10.7)', (env, path) => {
    expect(credentialsPath(env)).toBe(path);
  });
});

describe('a client from the environment (contract 10.7)', () => {
  it('a client from the environment uses the only entry without an address (contract 10.7)', () => {
    write(JSON.stringify({ [ONE]: entry('one') }));
    expect(pairOf({})).toEqual([ONE, 'svct_onesecret']);
  });

  it('a client from the environment chooses one of several entries by SVC_URL (contract 10.7)', () => {
    write(JSON.stringify({ [ONE]: entry('one'), [TWO]: entry('two') }));
    expect(pairOf({ SVC_URL: `${TWO}/` })).toEqual([TWO, 'svct_twosecret']);
    expect(errorOf()).toMatch(
      /Set SVC_URL to one of .*: https:\/\/one\.example:4723, https:\/\/two\.example$/,
    );
    expect(errorOf({ SVC_URL: 'https://three.example' })).toMatch(/svc login https:\/\/three\.example/);
  });

  it('a client from the environment prefers the environment, and never mixes it with the file (contract 10.7)', () => {
    write(JSON.stringify({ [ONE]: entry('one') }));
    const pair = { SVC_ACCESS_KEY: 'svc_env', SVC_TOKEN: 'svct_env' };
    expect(pairOf({ ...pair, SVC_URL: ONE })).toEqual([ONE, 'svct_env']);
    expect(errorOf(pair)).toContain('Set SVC_URL');
    expect(errorOf({ SVC_URL: ONE, SVC_TOKEN: 'svct_env' })).toContain('Set SVC_ACCESS_KEY');
  });

  it('a client from the environment says what to do if there is no file (contract 10.7)', () => {
    expect(errorOf()).toMatch(/Set SVC_URL .* svc login <address>/);
    expect(errorOf({ SVC_URL: ONE })).toMatch(/svc login https:\/\/one\.example:4723/);
  });

  it.each([0o640, 0o604, 0o644, 0o660])(
    'a client from the environment refuses a file with the mode %o, which others can read (contract 10.7)',
    (mode) => {
      write(JSON.stringify({ [ONE]: entry('one') }), mode);
      expect(errorOf()).toContain(`Other users can read ${file}. Run: chmod 600 ${file}`);
      expect(pairOf({ SVC_URL: ONE, SVC_ACCESS_KEY: 'svc_env', SVC_TOKEN: 'svct_env' })).toEqual([
        ONE,
        'svct_env',
      ]);
    },
  );

  it.each([
    'svct_onesecret',
    '[]',
    '{"https://one.example:4723":"svct_onesecret"}',
    '{"https://one.example:4723":{"accessKey":"svc_one"}}',
    '{"https://one.example:4723":{"accessKey":"svc_one","token":"svct_one\\nsecret"}}',
    '{"https://one.example:4723/x":{"accessKey":"svc_one","token":"svct_onesecret"}}',
  ])('a client from the environment refuses the file %j, and does not repeat it (contract 10.7)', (text) => {
    write(text);
    expect(errorOf()).toContain(`${file} is not valid`);
    expect(errorOf()).not.toContain('secret');
  });
});
