import { afterAll, expect, test } from 'vitest';
import { freshDataDir, type RunningServer, startLab } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, run, runFolder } from '../support/programs.ts';

afterAll(cleanUp);

const guide = readPage('docs/guides/switch-it-on-safely.md');
const token = readPage('docs/clients/token.md').block('make-token.sh');

/**
 * Runs blocks of the guide in one shell. Only the port is changed.
 * @returns the output of each block, by its file name
 */
async function paste(
  lab: RunningServer,
  files: readonly string[],
  before = '',
): Promise<Record<string, string>> {
  const named = files.flatMap((file) => [`echo; echo "== ${file}"`, guide.block(file)]);
  const script = [token, before, ...named].join('\n').replaceAll('http://127.0.0.1:4723', lab.url);
  const { code, output } = await run('sh', ['-e', '-c', script], { cwd: runFolder('guide') });
  expect(code, output).toBe(0);
  const parts = output.split(/^== (\S+)$/m).slice(1);
  return Object.fromEntries(files.map((file) => [file, parts[parts.indexOf(file) + 1] ?? '']));
}

test('Switch it on safely: each step of the guide does what it says (contract 7, 9)', async () => {
  const dataDir = freshDataDir();
  const start = (env: Record<string, string>) => startLab({ dataDir, env });

  const reporting = await start({ SVC_COMMAND_AUTH_REPORT_ONLY: 'true' });
  const first = ['shortcut.sh', 'open-session.sh', 'report.sh', 'make-user.sh', 'owned-session.sh'];
  const open = await paste(reporting, [...first, 'sessions.sh', 'name-session.sh']);
  expect(open['open-session.sh']).toContain('"implicit"');
  expect(JSON.parse(open['report.sh'] ?? '')).toMatchObject({
    mode: 'report-only',
    checked: 1,
    wouldRefuse: 1,
    notKept: 0,
    clients: [{ reasons: [{ reason: 'no credentials', count: 1 }] }],
  });
  expect(open['make-user.sh']).toContain('"temporaryPassword"');
  expect(open['owned-session.sh']).toContain('"implicit"');
  expect(open['sessions.sh']).toContain('"owner":null');
  expect(open['name-session.sh']?.match(/"recorded":true/g)).toHaveLength(3);
  expect(open['name-session.sh']).toMatch(/"name":"checkout test".*"status":"passed".*"tags":\["nightly"\]/s);
  expect(reporting.output()).toContain('Session created without valid credentials');
  expect(reporting.output()).toContain('Command would be refused:');
  await reporting.stop();

  const strict = await start({ SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_REQUIRE_COMMAND_AUTH: 'true' });
  const capabilities = guide.block('open-session.sh').split('\n', 1)[0] as string;
  const blocks = ['shortcut.sh', 'refused-create.sh', 'features.sh', 'explain.sh', 'session-token.sh'];
  const checked = await paste(strict, blocks, capabilities);
  expect(checked['refused-create.sh']).toContain(
    'session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid credentials',
  );
  expect(checked['features.sh']).toContain('"commandAuth":true');
  expect(checked['explain.sh']).toContain('"invalid session id"');
  expect(checked['explain.sh']).toContain('no credentials');
  expect(checked['session-token.sh']).toMatch(/"implicit".*"value":null/s);
  expect(strict.output()).toContain('Per-command auth is ON');
  expect(strict.output()).toMatch(/Command refused: GET \/session\//);
  await strict.stop();
});
