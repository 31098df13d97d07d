import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of files that are kept between runs. */
export const CACHE = fileURLToPath(new URL('../node_modules/.cache/svc-clients/', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program and waits for its end. If it is not installed, the error says what to install. */
export function run(program: string, args: readonly string[], { cwd, env }: RunOptions): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...usualEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    let output = '';
    const collect = (text: string) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('error', (error: NodeJS.ErrnoException) => failed(missing(program, error)));
    child.once('close', (code) => {
      children.delete(child);
      done({ code, output });
    });
  });
}

/** Removes the code with which Maven resets the colour of the terminal before a program begins. */
export function withoutColour(output: string): string {
  return output.replaceAll(`${String.fromCharCode(27)}[0m`, '');
}

/** Like `run`, for preparations that must succeed. */
export async function runOrThrow(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Ran> {
  const ran = await run(program, args, options);
  if (ran.code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${ran.code}:\n${ran.output}`);
  return ran;
}

/** Creates a folder in which programs can import packages of `tests/`. */
export function runFolder(name: string): string {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, `${name}-`));
  folders.add(folder);
  return folder;
}

/**
 * Prepares a virtual environment with the requirements, which is kept between runs. `options` are options of pip.
 * @returns the path of its Python
 */
export async function pythonWith(requirements: string, options: readonly string[] = []): Promise<string> {
  const { output: version } = await runOrThrow('python3', ['--version'], { cwd: '/' });
  const name = createHash('sha256').update(version).update(requirements).digest('hex').slice(0, 16);
  const folder = join(CACHE, `python-${name}`);
  const python = join(folder, 'bin', 'python');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'requirements.txt'), requirements);
  await runOrThrow('python3', ['-m', 'venv', folder], { cwd: folder });
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...options,
    '-r',
    'requirements.txt',
  ];
  await runOrThrow(python, install, { cwd: folder });
  writeFileSync(complete, '');
  return python;
}

/** @returns the class path of a Java library of Maven Central with its dependencies; Maven caches the files */
export async function classPathOf(library: string): Promise<string> {
  const folder = join(CACHE, `java-${library.replace(/\W+/g, '-')}`);
  const file = join(folder, 'classpath');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const [groupId, artifactId, version] = library.split(':');
    const wanted = `<groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version>`;
    const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>svc</groupId><artifactId>tests</artifactId><version>1</version><dependencies><dependency>${wanted}</dependency></dependencies></project>`;
    writeFileSync(join(folder, 'pom.xml'), pom);
    const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${file}`];
    await runOrThrow('mvn', ['--quiet', '--batch-mode', ...goal], { cwd: folder });
  }
  return readFileSync(file, 'utf8').trim();
}

function missing(program: string, error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  const needs = 'the pages of docs/clients are tried with Python 3.10+, JDK 17+, Maven 3.8+ and Go 1.21+';
  return new Error(`${program} is not installed: ${needs}`);
}

function usualEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|NODE_OPTIONS$|VITEST)/.test(name));
  return Object.fromEntries(kept);
}

const children = new Set<ReturnType<typeof spawn>>();
const folders = new Set<string>();

/** Ends running processes and removes the folders. */
export function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
