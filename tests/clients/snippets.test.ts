import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import {
  type BlockName,
  blocksOf,
  SNIPPETS,
  type SnippetPair,
  snippet,
  variables,
  type WebDriverFacts,
} from '../../apps/dashboard/src/pages/profile/snippets.ts';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, type Ran, run, runFolder, withoutColour } from '../support/programs.ts';
import { makePerson } from '../support/sessions.ts';

/** Runs the snippets that a page shows for a new token, each with the client that it is written for. */

let lab: RunningServer;
let admin: string;
let facts: WebDriverFacts;

beforeAll(async () => {
  lab = await startLab({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
      SVC_BASE_PATH: '/wd/hub',
      SVC_LAB_LOG_LEVEL: 'error',
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
    },
  });
  admin = await signIn(lab.url);
  facts = (await get('/capabilities', { cookie: admin })).webDriver;
});
afterAll(async () => {
  cleanUp();
  await lab?.stop();
});

async function get(path: string, headers: Record<string, string>) {
  return JSON.parse(await (await lab.api(path, { headers })).text());
}

async function tester(name: string) {
  const person = await makePerson(lab, admin, `${name}@lab.test`);
  const pair: SnippetPair = { url: lab.url, accessKey: person.accessKey, token: person.token };
  return { person, pair };
}

/** Runs the commands after the variables in a shell, in that folder. */
const paste = (pair: SnippetPair, commands: string, cwd: string, env: Record<string, string> = {}) =>
  run('sh', ['-c', `set -e\n${variables(pair)}\n${commands}`], { cwd, env });

interface Program {
  readonly name: BlockName;
  readonly file: string;
  /**
   * Prepares the folder.
   * @returns the command line
   */
  readonly command: (folder: string) => Promise<string>;
}

const node = async () => `'${process.execPath}' lab-test.mjs`;
const PROGRAMS: readonly Program[] = [
  { name: 'webdriverio', file: 'lab-test.mjs', command: node },
  { name: 'selenium', file: 'lab-test.mjs', command: node },
  {
    name: 'python',
    file: 'lab_test.py',
    command: async () => `'${inject('python')}' lab_test.py`,
  },
  {
    name: 'java',
    file: 'src/main/java/LabTest.java',
    command: async (folder) => {
      const pom = readPage('docs/clients/java.md').block('pom.xml');
      writeFileSync(join(folder, 'pom.xml'), pom.replace('<mainClass>Example<', '<mainClass>LabTest<'));
      return 'mvn --quiet --batch-mode compile exec:java';
    },
  },
];

describe.concurrent('what is shown with a new token', () => {
  test.for(PROGRAMS)(
    'the program for $name drives a session of the token’s owner (specification 2 Token, 5.7.2)',
    async ({ name, file, command }) => {
      const { person, pair } = await tester(name);
      const folder = runFolder(`snippet-${name}`);
      const program = join(folder, file);
      mkdirSync(dirname(program), { recursive: true });
      writeFileSync(program, snippet(name, pair, facts));
      const { code, output }: Ran = await paste(pair, await command(folder), folder);
      expect(code, output).toBe(0);
      expect(withoutColour(output)).toMatch(/^[1-9]\d*$/m);
      expect(await get('/sessions', person.headers)).toMatchObject([
        { owner: { id: person.userId }, endedAt: expect.any(String) },
      ]);
      // The program does not contain the token, which is in the environment only.
      expect(readFileSync(program, 'utf8')).not.toContain(pair.token);
    },
  );

  test('the line for curl tells whose token it is (specification 2 Token)', async () => {
    const { person, pair } = await tester('curl');
    const { code, output } = await paste(pair, snippet('curl', pair, facts), runFolder('snippet-curl'));
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ id: person.userId, kind: 'key' });
  });

  test('the commands for GitHub and GitLab hand the pair to a job, the token on standard input (specification 2 Token)', async () => {
    const { person, pair } = await tester('ci');
    const folder = runFolder('snippet-ci');
    for (const name of ['gh', 'glab']) standIn(folder, name);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    for (const block of ['githubCommands', 'gitlabCommands'] as const) {
      const { code, output } = await paste(pair, snippet(block, pair, facts), folder, env);
      expect(code, output).toBe(0);
    }
    const recorded = readFileSync(join(folder, 'recorded'), 'utf8');
    expect(recorded.split('\n').filter((line) => line.startsWith('asked'))).toEqual([
      `asked gh variable set SVC_URL --body ${pair.url}`,
      `asked gh variable set SVC_ACCESS_KEY --body ${pair.accessKey}`,
      'asked gh secret set SVC_TOKEN',
      `asked glab variable set SVC_URL ${pair.url}`,
      `asked glab variable set SVC_ACCESS_KEY ${pair.accessKey}`,
      'asked glab variable set SVC_TOKEN --masked',
    ]);
    expect(recorded.match(/^given .*$/gm)).toEqual([`given ${pair.token}`, `given ${pair.token}`]);
    // The environment of a job of the workflow.
    const kept = {
      vars: { SVC_URL: pair.url, SVC_ACCESS_KEY: pair.accessKey },
      secrets: { SVC_TOKEN: pair.token },
    };
    const workflow = parse(snippet('githubWorkflow', pair, facts)) as { env: Record<string, string> };
    const jobs = Object.entries(workflow.env).map(([name, value]) => {
      const [, from, key] = /^\$\{\{ (vars|secrets)\.(\w+) \}\}$/.exec(value) ?? [];
      return [name, (kept as Record<string, Record<string, string>>)[from as string]?.[key as string] ?? ''];
    });
    const job = await run('sh', ['-c', snippet('curl', pair, facts)], {
      cwd: folder,
      env: Object.fromEntries(jobs),
    });
    expect(JSON.parse(job.output)).toMatchObject({ id: person.userId });
  });

  test('every text that is shown is one that is run here', () => {
    const run: BlockName[] = [
      ...PROGRAMS.map(({ name }) => name),
      'curl',
      'githubCommands',
      'githubWorkflow',
      'gitlabCommands',
    ];
    expect(SNIPPETS.flatMap(blocksOf)).toEqual(run);
  });
});

/** Replaces the tools of GitHub and GitLab, which need accounts, by scripts that record their arguments and input. */
function standIn(folder: string, name: string): void {
  const given = `case "$*" in *SVC_TOKEN*) printf 'given %s\\n' "$(cat)" >> recorded ;; esac`;
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf 'asked %s\\n' "${name} $*" >> recorded\n${given}\n`);
  chmodSync(join(folder, name), 0o755);
}
