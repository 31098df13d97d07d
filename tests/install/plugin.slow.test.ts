import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, freshDataDir, type RunningProcess, request, runNode, signIn } from '../support/lab.ts';
import { type Prebuilt, servePrebuilt } from './support/prebuilt.ts';
import { type Registry, startRegistry } from './support/registry.ts';

const NAME = 'appium-svc-plugin';
const BUNDLER = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url));
const labPackage = createRequire(import.meta.url).resolve('@svc/lab/package.json');
const appiumMain = createRequire(labPackage).resolve('appium');
const MIB = 1024 * 1024;

const out = freshDataDir();
const folder = join(out, NAME);
const tarball = (): string => join(out, `${NAME}-${versionOf(folder)}.tgz`);
let registry: Registry;
let prebuilt: Prebuilt;

beforeAll(async () => {
  const bundled = runNode(BUNDLER, { args: ['--out', out, NAME] });
  expect(await bundled.exited, bundled.output()).toMatchObject({ code: 0 });
  [registry, prebuilt] = await Promise.all([startRegistry(), servePrebuilt()]);
}, 120_000);

afterAll(async () => {
  prebuilt?.close();
  await registry?.process.stop();
});

describe('what is published', () => {
  it('the plugin package is below 3 MB, carries the licences of what it bundles, and depends on better-sqlite3 alone', () => {
    expect(statSync(tarball()).size).toBeLessThan(3 * MIB);
    const manifest = readJson(join(folder, 'package.json'));
    expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3']);
    expect(Object.keys(manifest.peerDependencies)).toEqual(['appium']);
    expect(readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^fastify 5[\s\S]*\nMIT License/m);
  });

  it('the plugin package names all it bundles and installs in its bill of materials, under licences that ask for no source', () => {
    // The bundler has already rejected files that do not conform to CycloneDX 1.6.
    const { components, dependencies }: Sbom = JSON.parse(
      readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'),
    );
    const bundled = components.filter(
      ({ properties }) => properties?.[0]?.name === 'cdx:npm:package:bundled',
    );
    const notices = readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8').matchAll(/^(\S+ \d\S*) \(.+\)$/gm);
    expect(bundled.map(({ name, version }) => `${name} ${version}`).sort()).toEqual(
      [...notices].map(([, notice]) => notice).sort(),
    );
    const names = components.map(({ name }) => name);
    // The list contains packages of the API and of the dashboard, and installed packages with their dependencies.
    expect(names).toEqual(expect.arrayContaining(['fastify', 'preact', 'better-sqlite3', 'bindings']));
    for (const { name, version, purl, hashes } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
    const refused = components.filter(({ licenses }) => !isPermissive(licenses));
    expect(refused).toEqual([]);
    const known = [...components.map(({ purl }) => purl), `pkg:npm/${NAME}@${versionOf(folder)}`];
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual(known.sort());
    const reached = new Set(dependencies.flatMap(({ dependsOn = [] }) => dependsOn));
    expect(known.filter((each) => !reached.has(each))).toEqual([`pkg:npm/${NAME}@${versionOf(folder)}`]);
  });

  it('the plugin package has the same bytes when it is made again', async () => {
    const first = readFileSync(tarball());
    const again = freshDataDir();
    const bundled = runNode(BUNDLER, { args: ['--out', again, NAME] });
    expect(await bundled.exited, bundled.output()).toMatchObject({ code: 0 });
    expect(readFileSync(join(again, `${NAME}-${versionOf(folder)}.tgz`)).equals(first)).toBe(true);
  }, 60_000);

  it('the plugin package prints an uncaught error of the program `svc` in a few lines', async () => {
    const broken = withVersion(folder, versionOf(folder));
    const [, chunk = ''] =
      /runCli\}=await import\(.\.\/(chunk-[\w-]+\.js)/.exec(
        readFileSync(join(broken, 'dist/cli.js'), 'utf8'),
      ) ?? [];
    const program = join(broken, 'dist', chunk);
    expect(statSync(program).size).toBeGreaterThan(10_000);
    writeFileSync(program, `${readFileSync(program, 'utf8').trimEnd()};setTimeout(() => null.mistake);`);
    const run = runNode(join(broken, 'bin/svc.js'), { args: ['doctor'] });
    const { code } = await run.exited;
    expect(code).toBe(1);
    expect(run.output()).toMatch(/^TypeError: .*mistake/m);
    expect(run.output().length).toBeLessThan(2_000);
  });

  it('the plugin package names nothing of this checkout', () => {
    const { status, stdout } = spawnSync('grep', ['-rlF', dirname(dirname(BUNDLER)), folder]);
    expect({ status, files: String(stdout) }).toEqual({ status: 1, files: '' });
  });
});

describe('appium plugin install', () => {
  it('appium plugin install takes it from a registry, and plugin update brings the next version', async () => {
    await registry.publish(folder);
    const home = new Home();
    await home.appium('plugin', 'install', '--source=npm', NAME);
    await home.serves();
    expect(prebuilt.asked.at(-1)).toContain('better-sqlite3-v');

    const next = versionOf(folder).replace(/\d+$/, (patch) => String(Number(patch) + 1));
    await registry.publish(withVersion(folder, next));
    await home.appium('plugin', 'update', 'svc');
    expect(versionOf(join(home.folder, 'node_modules', NAME))).toBe(next);
    await home.serves();
  }, 240_000);

  it('appium plugin install takes the tarball', async () => {
    const home = new Home();
    await home.appium('plugin', 'install', '--source=git', `--package=${NAME}`, tarball());
    await home.serves();
    const doctor = runNode(appiumMain, { args: ['plugin', 'doctor', 'svc'], env: home.env });
    await doctor.exited;
    expect(doctor.output()).toMatch(/Node\.js v?\d+/);
    expect(doctor.output()).not.toMatch(/Cannot find|ERR_MODULE/);
  }, 120_000);

  it('appium plugin install takes a folder, and says what is missing where install scripts are refused', async () => {
    const home = new Home();
    const unpacked = withVersion(folder, versionOf(folder));
    const npm = ['install', '--omit=dev', '--omit=peer', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', npm, { cwd: unpacked, env: home.env, stdio: 'pipe' });
    await home.appium('plugin', 'install', '--source=local', unpacked);
    const refused = await home.start();
    const { code } = await refused.exited;
    expect(code).not.toBe(0);
    const [, command = '', at = ''] = /Run `(npm rebuild[^`]*)` in ([^\s:]+): /.exec(refused.output()) ?? [];
    expect(at, refused.output()).toBe(unpacked);

    const [program = '', ...args] = command.split(' ');
    execFileSync(program, args, { cwd: at, env: home.env, stdio: 'pipe' });
    await home.serves();
  }, 180_000);
});

/** A new APPIUM_HOME, as on a machine that never had the plugin. */
class Home {
  readonly folder = freshDataDir();
  readonly env = {
    PATH: process.env.PATH ?? '',
    HOME: freshDataDir(),
    APPIUM_HOME: this.folder,
    ...registry.env,
    npm_config_cache: join(out, 'npm-cache'),
    // If no prepared binary can be downloaded, the package would compile one, which the installation of this checkout
    // has already tested.
    ...prebuilt.env,
  };

  async appium(...args: string[]): Promise<void> {
    const program = runNode(appiumMain, { args, env: this.env });
    const { code } = await program.exited;
    expect(code, program.output()).toBe(0);
  }

  async start(port = 0): Promise<RunningProcess> {
    const chosen = port === 0 ? await freePort() : port;
    const args = ['server', '--address', '127.0.0.1', '--port', String(chosen), '--use-plugins', 'svc'];
    // No server listens at this address, but the code that sends metrics is loaded.
    const SVC_METRICS_ENDPOINT = 'http://127.0.0.1:9';
    const env = { ...this.env, SVC_DATA_DIR: freshDataDir(), SVC_BCRYPT_COST: '10', SVC_METRICS_ENDPOINT };
    return runNode(appiumMain, { args: [...args, '--log-no-colors'], env });
  }

  /** Expects that Appium with the plugin serves the API, its threads, its pages, its telemetry and its command line. */
  async serves(): Promise<void> {
    const port = await freePort();
    const appium = await this.start(port);
    await appium.line(/REST http interface listener started/);
    const url = `http://127.0.0.1:${port}`;
    const cookie = await signIn(url);
    const me = await request(`${url}/svc/api/auth/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ role: 'Super admin' });
    const page = await request(`${url}/svc/sign-in`);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await request(new URL(script, `${url}/svc/sign-in`).href)).status).toBe(200);
    expect((await appium.stop()).code).toBe(0);
    expect(appium.output()).toContain('The collector of SVC_METRICS_ENDPOINT does not accept metrics');
  }
}

function withVersion(from: string, version: string): string {
  const to = join(freshDataDir(), NAME);
  execFileSync('cp', ['-a', from, to]);
  const file = join(to, 'package.json');
  writeFileSync(file, JSON.stringify({ ...readJson(file), version }, null, 2));
  return to;
}

function versionOf(at: string): string {
  return readJson(join(at, 'package.json')).version;
}

const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
];

function isPermissive(licenses: Component['licenses']): boolean {
  return licenses.every(({ license, expression = license?.id ?? '' }) =>
    expression
      .replace(/^\((.+)\)$/, '$1')
      .split(' OR ')
      .some((each) => PERMISSIVE.includes(each)),
  );
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: unknown;
  readonly licenses: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[];
  readonly properties?: readonly { readonly name: string }[];
}

interface Sbom {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

function readJson(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'));
}
