// `pnpm run publish-release [--dry-run] [--out <folder>] [<target>…]` publishes the version of this checkout: `npm`,
// `pypi`, `maven`, `image` and `helm`, by default all. With `--dry-run` each target is built and checked as for a release,
// and nothing leaves this machine. The names that a release chooses are variables:
//
//   SVC_NPM_SCOPE        scope of the two npm packages, such as `@example`
//   SVC_REPOSITORY       address of the repository in which they are built, for the provenance
//   SVC_MAVEN_GROUP      group of the jar, which the owner of a domain can have, such as `com.example`
//   SVC_MAVEN_URL        `id::url` of the Maven repository; `id` names the credentials in settings.xml
//   SVC_IMAGE            name of the image without a tag, such as `ghcr.io/example/svc`
//   SVC_HELM_REPOSITORY  `oci://` address of the charts
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/run.mjs';

/** `helm`, or the one that `scripts/check-chart.mjs` has built. */
const HELM = exists('helm')
  ? 'helm'
  : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-chart/helm');
const TARGETS = {
  npm: { needs: ['npm'], variables: ['SVC_NPM_SCOPE', 'SVC_REPOSITORY'], publish: publishNpm },
  pypi: { needs: ['python3'], variables: [], publish: publishPypi },
  maven: { needs: ['mvn'], variables: ['SVC_MAVEN_GROUP', 'SVC_MAVEN_URL'], publish: publishMaven },
  image: { needs: ['docker'], variables: ['SVC_IMAGE'], publish: publishImage },
  helm: { needs: [HELM], variables: ['SVC_HELM_REPOSITORY'], publish: publishHelm },
};
/** Release of the deploy plugin; Maven's own default is older and does not know `id::url`. */
const DEPLOY = 'org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy';
/** Values for a dry run, for variables that are not set. */
const EXAMPLES = {
  SVC_NPM_SCOPE: '@example',
  SVC_REPOSITORY: 'https://git.example/svc.git',
  SVC_MAVEN_GROUP: 'com.example',
  SVC_IMAGE: 'example/svc',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string' } },
});
const isDry = values['dry-run'];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'svc-publish-'));

try {
  const targets = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  check(targets);
  for (const name of targets) {
    const missing = TARGETS[name].needs.filter((program) => !exists(program));
    if (missing.length > 0) {
      console.log(`${name}: skipped, because ${missing.join(', ')} is not installed or does not run`);
      continue;
    }
    TARGETS[name].publish();
    console.log(`${name}: ${version} ${isDry ? 'could be published' : 'is published'}`);
  }
} catch (error) {
  console.error(`The release stopped: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Throws before anything is published if a target is unknown, a variable is missing, or a program is not installed. */
function check(targets) {
  const unknown = targets.filter((name) => !Object.hasOwn(TARGETS, name));
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')} is none of ${Object.keys(TARGETS).join(', ')}`);
  if (isDry) return;
  const needed = targets.flatMap((name) => TARGETS[name].variables);
  const unset = needed.filter((name) => !process.env[name]);
  if (unset.length > 0) throw new Error(`set ${unset.join(', ')}`);
  const missing = targets.flatMap((name) => TARGETS[name].needs).filter((program) => !exists(program));
  if (missing.length > 0) throw new Error(`install ${missing.join(', ')}`);
}

/** @returns whether a program is installed. Docker also needs its daemon, because the client alone builds nothing. */
function exists(program) {
  if (program === 'docker') return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function variable(name) {
  return process.env[name] || EXAMPLES[name];
}

function run(program, args, options = {}) {
  execFileSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
}

/** Publishes the two packages below the scope. The names of the plugin and of the programs in them stay the same. */
function publishNpm() {
  const out = values.out === undefined ? join(work, 'npm') : resolve(values.out);
  const names = ['--repository', `git+${variable('SVC_REPOSITORY')}`, '--scope', variable('SVC_NPM_SCOPE')];
  run(process.execPath, ['scripts/package.mjs', '--out', out, ...names]);
  for (const file of readdirSync(out).filter((name) => name.endsWith('.tgz'))) {
    // A registry accepts a statement of provenance only from a CI service.
    const how = isDry ? ['--dry-run'] : process.env.CI ? ['--provenance'] : [];
    run('npm', ['publish', '--access', 'public', ...how, join(out, file)]);
  }
}

function publishPypi() {
  const environment = join(work, 'python');
  const python = join(environment, 'bin', 'python');
  run('python3', ['-m', 'venv', environment]);
  run(python, ['-m', 'pip', 'install', '--quiet', 'build==1.6.1', 'twine']);
  const dist = join(work, 'dist');
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1767225600' };
  run(python, ['-m', 'build', '--outdir', dist, 'clients/python'], { env });
  const files = ['whl', 'tar.gz'].map((end) => join(dist, `*.${end}`));
  const twine = (...args) => run('sh', ['-c', `${python} -m twine ${args.join(' ')} ${files.join(' ')}`]);
  twine('check', '--strict');
  if (!isDry) twine('upload', '--non-interactive');
}

/** Deploys a copy with the chosen group, because no one can own the group of the sources on a registry. */
function publishMaven() {
  const copy = join(work, 'java');
  cpSync(join(root, 'clients/java'), copy, { recursive: true, filter: (file) => !file.endsWith('/target') });
  const pom = join(copy, 'pom.xml');
  const group = `<groupId>${variable('SVC_MAVEN_GROUP')}</groupId>`;
  writeFileSync(pom, readFileSync(pom, 'utf8').replace('<groupId>local.svc</groupId>', group));
  const local = join(work, 'maven');
  mkdirSync(local);
  const to = isDry ? `dry::file://${local}` : process.env.SVC_MAVEN_URL;
  const deploy = [DEPLOY, `-DaltDeploymentRepository=${to}`];
  run('mvn', ['--quiet', '--batch-mode', '--file', pom, '-DskipTests', 'package', ...deploy]);
}

function publishImage() {
  const tags = [version, 'latest'].map((tag) => `${variable('SVC_IMAGE')}:${tag}`);
  run('docker', ['build', ...tags.flatMap((tag) => ['--tag', tag]), '.']);
  if (!isDry) for (const tag of tags) run('docker', ['push', tag]);
}

function publishHelm() {
  run(HELM, [
    'package',
    'deploy/helm',
    '--version',
    version,
    '--app-version',
    version,
    '--destination',
    work,
  ]);
  const { name } = /^name: (?<name>\S+)$/m.exec(
    readFileSync(join(root, 'deploy/helm/Chart.yaml'), 'utf8'),
  ).groups;
  const chart = join(work, `${name}-${version}.tgz`);
  if (isDry) run(HELM, ['lint', chart]);
  else run(HELM, ['push', chart, process.env.SVC_HELM_REPOSITORY]);
}
