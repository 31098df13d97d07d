import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromEnv, UnusableSetting } from '../src/index.ts';

const FULL = { SVC_URL: 'https://lab.example:4723', SVC_ACCESS_KEY: 'svc_k', SVC_TOKEN: 'svct_secret' };

describe('fromEnv', () => {
  test('fromEnv makes a client of the lab and the pair that the environment names (contract 5, clients)', () => {
    const client = fromEnv({}, FULL);
    expect(client.url).toBe('https://lab.example:4723');
    expect(client.keyPair).toEqual({ accessKey: 'svc_k', token: 'svct_secret' });
  });

  test('fromEnv reads secrets from files, without the line end (contract 5, clients)', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'svc-')), 'token');
    writeFileSync(file, 'svct_of_a_file\n');
    const { SVC_TOKEN, ...rest } = FULL;
    expect(fromEnv({}, { ...rest, SVC_TOKEN_FILE: file }).keyPair?.token).toBe('svct_of_a_file');
  });

  test.for([
    ['SVC_URL', {}, /SVC_URL/],
    ['SVC_URL', { SVC_URL: 'https://lab.example/wd/hub' }, /scheme, host and port/],
    ['SVC_ACCESS_KEY', {}, /SVC_ACCESS_KEY, or SVC_ACCESS_KEY_FILE/],
    ['SVC_TOKEN', { SVC_TOKEN: '  ' }, /SVC_TOKEN, or SVC_TOKEN_FILE/],
    ['SVC_TOKEN', { SVC_TOKEN_FILE: '/nowhere/svct_secret' }, /SVC_TOKEN_FILE names cannot be read/],
  ] as const)(
    'fromEnv without a usable %s says what to set, and shows no value (contract 5, clients)',
    ([name, more, says]) => {
      const { [name]: _, ...rest } = FULL;
      let thrown: unknown;
      try {
        fromEnv({}, { ...rest, ...more });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(UnusableSetting);
      expect(String(thrown)).toMatch(says);
      expect(String(thrown)).not.toContain('secret');
    },
  );

  test('fromEnv without a key pair uses the tokens of a CI job (contract 10.3)', () => {
    const job = { SVC_URL: FULL.SVC_URL, SVC_ACCESS_TOKEN: 'j.w.t', SVC_SESSION_TOKEN: 's.w.t' };
    const client = fromEnv({}, job);
    expect(client.url).toBe('https://lab.example:4723');
    expect(client.keyPair).toBeUndefined();
    expect(client.jobCredential).toEqual({ bearer: 'j.w.t', sessionToken: 's.w.t' });
    const { SVC_SESSION_TOKEN: _, ...readOnly } = job;
    expect(fromEnv({}, readOnly).jobCredential).toEqual({ bearer: 'j.w.t' });
    expect(fromEnv({}, { ...FULL, ...job }).keyPair?.accessKey).toBe('svc_k');
    expect(() => fromEnv({}, { ...job, SVC_URL: '' })).toThrow(UnusableSetting);
  });

  test('a client that is printed shows no secret (contract 4)', async () => {
    const { inspect } = await import('node:util');
    expect(inspect(fromEnv({}, FULL), { depth: 9, showHidden: true })).not.toContain('svct_secret');
    const job = fromEnv({}, { SVC_URL: FULL.SVC_URL, SVC_ACCESS_TOKEN: 'j.w.t', SVC_SESSION_TOKEN: 's.w.t' });
    expect(inspect(job, { depth: 9, showHidden: true })).not.toMatch(/\.w\.t/);
  });
});
