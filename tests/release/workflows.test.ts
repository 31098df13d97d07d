import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

interface Job {
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}

const folder = new URL('../../.github/workflows/', import.meta.url);
const jobsOf = (file: string): Record<string, Job> =>
  parse(readFileSync(new URL(file, folder), 'utf8'), { strict: true }).jobs;

it('a job that may write runs neither code of this repository nor what it has installed', () => {
  const writing = Object.entries(jobsOf('release.yml')).filter(([, { permissions }]) =>
    Object.values(permissions ?? {}).includes('write'),
  );
  expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ['npm', { 'id-token': 'write' }],
    ['pypi', { 'id-token': 'write' }],
    ['maven', { packages: 'write' }],
    ['containers', { packages: 'write' }],
    ['files', { contents: 'write' }],
  ]);
  for (const [, { steps = [] }] of writing) {
    expect(
      steps.filter(({ uses, run }) => /checkout/.test(uses ?? '') || /npx|install/.test(run ?? '')),
    ).toEqual([]);
  }
});

it.each(readdirSync(folder))(
  '%s runs scripts that there are, and puts no text of others into a shell',
  (file) => {
    const commands = Object.values(jobsOf(file)).flatMap(({ steps = [] }) =>
      steps.map(({ run }) => run ?? ''),
    );
    const scripts = commands.flatMap((run) =>
      [...run.matchAll(/pnpm@10 run (\S+)/g)].map(([, name]) => name),
    );
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
    expect(commands.filter((run) => run.includes('${{'))).toEqual([]);
  },
);
