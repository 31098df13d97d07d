import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../src/command/run.ts';
import { SvcClient, SvcService } from '../src/index.ts';
import { reportName } from '../src/report.ts';
import { type LabDouble, startLabDouble } from './lab-double.ts';

const PAIR = { accessKey: 'key-1', token: 'svct_secret' };
const REPORT = '<!doctype html><title>Report</title>';

let lab: LabDouble;
let folder: string;

beforeEach(async () => {
  lab = await startLabDouble();
  lab.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(REPORT);
  };
  folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lab.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]) {
  const [out, err]: string[][] = [[], []];
  const env = { SVC_URL: lab.url, SVC_ACCESS_KEY: PAIR.accessKey, SVC_TOKEN: PAIR.token };
  const io = { out: (text: string) => void out?.push(text), err: (text: string) => void err?.push(text) };
  return { code: await runCommand(args, env, io), out: out?.join(''), err: err?.join('') };
}

const refuse = (status: number, error: string) => {
  lab.answer = (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error }));
  };
};

describe('appium-svc-client report (contract 11)', () => {
  it('appium-svc-client report saves the report of a session, with the key pair of the environment (contract 11)', async () => {
    const file = join(folder, 'new', 'report.html');
    expect(await run('report', 's/1', '--file', file)).toEqual({ code: 0, out: `${file}\n`, err: '' });
    expect(readFileSync(file, 'utf8')).toBe(REPORT);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'new'))).toEqual(['report.html']);
    expect(lab.seen[0]?.url).toBe('/svc/api/session/s%2F1/report');
    expect(lab.seen[0]?.headers['x-svc-token']).toBe(PAIR.token);
  });

  it('appium-svc-client report keeps an older file if the lab refuses, and says why without the secret (contract 11)', async () => {
    const file = join(folder, 'report.html');
    writeFileSync(file, 'older');
    refuse(404, 'not_found');
    const { code, err } = await run('report', 's1', '--file', file);
    expect([code, err]).toEqual([
      1,
      'appium-svc-client: the lab has no session s1, or its owner does not share it with this account\n',
    ]);
    refuse(401, 'invalid credentials');
    expect((await run('report', 's1', '--file', file)).err).not.toContain(PAIR.token);
    expect(readFileSync(file, 'utf8')).toBe('older');
  });

  it('appium-svc-client report leaves nothing behind if the connection is lost within the report (contract 11)', async () => {
    lab.answer = (request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => request.socket.destroy());
    };
    expect((await run('report', 's1', '--file', join(folder, 'report.html'))).code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([[['report']], [['report', 's1', 's2']], [['report', 's1', '--x']], [['report', '']]])(
    'used as %j shows how it is used',
    async (args) => {
      const { code, err } = await run(...args);
      expect([code, err?.split('\n', 1)]).toEqual([
        2,
        ['Usage: npx appium-svc-client report <session> [--file <path>]'],
      ]);
      expect(lab.seen).toEqual([]);
    },
  );

  it('appium-svc-client report names the missing setting (contract 11)', async () => {
    const io = { out: () => undefined, err: vi.fn() };
    expect(await runCommand(['report', 's1'], {}, io)).toBe(2);
    expect(io.err).toHaveBeenCalledWith(expect.stringContaining('Set SVC_URL'));
  });

  it('appium-svc-client report has a file name that no session id can leave the folder with (contract 11)', () => {
    expect(reportName('../../etc/passwd')).toBe('svc-session-.._.._etc_passwd.html');
    expect(reportName('x'.repeat(500))).toHaveLength('svc-session-.html'.length + 100);
  });
});

describe('SvcService with reports (contract 11)', () => {
  const session = async (result: number, reports?: string) => {
    vi.spyOn(console, 'log').mockReturnValue();
    const client = new SvcClient({ url: lab.url, credential: PAIR });
    const service = new SvcService(reports === undefined ? { client } : { client, reports });
    service.before({}, [], { sessionId: 's1' });
    service.onReload('s1', 's2');
    await service.after(result);
    await service.afterSession();
  };

  it('SvcService with reports saves the report of a session with a failed test (contract 11)', async () => {
    await session(1, folder);
    expect(readdirSync(folder)).toEqual(['svc-session-s2.html']);
  });

  it('SvcService with reports saves none if all tests passed or no folder is named (contract 11)', async () => {
    await session(0, folder);
    await session(1);
    expect(lab.seen).toEqual([]);
  });

  it('SvcService with reports warns if the report cannot be saved, and ends as usual (contract 11)', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    refuse(503, 'unavailable');
    await session(1, folder);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('could not be saved: unavailable'));
    expect(readdirSync(folder)).toEqual([]);
  });
});
