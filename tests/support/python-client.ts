import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPage } from './pages.ts';
import { pythonWith, type Ran, run, runFolder } from './programs.ts';

const SOURCE = fileURLToPath(new URL('../../clients/python/', import.meta.url));
/** Tools that build and check the client, besides the requirements of its page. */
const TOOLS = ['build==1.6.1', 'flit_core==4.2.0', 'mypy==2.4.1', 'ruff==0.17.6'];

declare module 'vitest' {
  interface ProvidedContext {
    /** A Python with the built client, the requirements of its page, and TOOLS. */
    readonly python: string;
  }
}

export interface Archives {
  /** Paths of the archives. */
  readonly wheel: string;
  readonly source: string;
  /** SHA-256 of each archive, by file name. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Builds both archives from a copy of the sources. */
export async function buildPythonClient(python: string): Promise<Archives> {
  const folder = runFolder('python-client');
  const copy = join(folder, 'source');
  cpSync(SOURCE, copy, {
    recursive: true,
    filter: (file) => !/__pycache__|\.pytest_cache|\.mypy_cache/.test(file),
  });
  const built = join(folder, 'dist');
  const args = ['-m', 'build', '--no-isolation', '--outdir', built, copy];
  orThrow(await run(python, args, { cwd: folder, env: { SOURCE_DATE_EPOCH: '1767225600' } }));
  const names = readdirSync(built);
  const find = (end: string) => join(built, names.find((name) => name.endsWith(end)) as string);
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(built, name)))
      .digest('hex');
  return {
    wheel: find('.whl'),
    source: find('.tar.gz'),
    digests: Object.fromEntries(names.map((name) => [name, digest(name)])),
  };
}

/** Prepares the Python that runs the examples of the page, with the client as it would be published. */
export async function installPythonClient(): Promise<string> {
  const requirements = readPage('docs/clients/python.md').block('requirements.txt');
  const python = await pythonWith(`${requirements}${TOOLS.join('\n')}\n`);
  const { wheel } = await buildPythonClient(python);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--force-reinstall'];
  // The dependencies are installed already; if one is missing, pip reports it.
  orThrow(await run(python, [...install, '--no-deps', wheel], { cwd: '/' }));
  orThrow(await run(python, ['-m', 'pip', 'check', '--disable-pip-version-check'], { cwd: '/' }));
  return python;
}

function orThrow({ code, output }: Ran): void {
  if (code !== 0) throw new Error(`the Python client is not usable (${code}):\n${output}`);
}
