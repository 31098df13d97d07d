// `pnpm test:node 22` runs the gate's tests of tests/appium on another Node.js release, where requests reach the gate in
// different ways (WebSocket upgrades since 22.21 and 24.9), and the tests of the official MCP clients. It uses a copy of
// this tree, because native code is built for one release only.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildOrExit } from './lib/build.mjs';
import { installNode } from './lib/install-node.mjs';
import { root } from './lib/run.mjs';

/** Tests of the gate, and of the standard clients that depend on the release. */
const GATE = [
  ...[
    'callbacks',
    'contained-sockets',
    'create',
    'hostile-sockets',
    'mounted-start',
    'oauth-client',
    'paths',
  ],
  ...['same-as-appium', 'second-line', 'session-access', 'session-ends', 'session-proxying', 'socket-ends'],
  ...['sockets', 'strangers', 'tls', 'told-in-log', 'way-around'],
]
  .map((name) => `tests/appium/${name}.`)
  .concat('tests/conformance/mcp-clients.');

const [release, ...tests] = process.argv.slice(2);
if (!/^\d+(?:\.\d+){0,2}$/.test(release ?? '')) {
  console.error('usage: pnpm test:node <release> [tests]');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), `svc-node-${release}-`));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Build once and copy the output, because it is the same for every Node.js release.
await buildOrExit();
const node = installNode(release, join(folder, 'node'));
const tree = copyOfTree(join(folder, 'svc'));
inTree('node', '--version');
inTree('npx', '-y', 'pnpm@10', 'install', '--frozen-lockfile');
inTree('node', 'node_modules/vitest/vitest.mjs', 'run', ...(tests.length > 0 ? tests : GATE));

/** Copies all files that Git does not ignore, including uncommitted changes, and the output of the build. */
function copyOfTree(at) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(at, file), { verbatimSymlinks: true });
  }
  for (const folder of ['packages', 'apps'].flatMap((name) => roomsIn(name))) {
    const built = join(folder, 'dist');
    if (existsSync(join(root, built))) cpSync(join(root, built), join(at, built), { recursive: true });
  }
  return at;
}

/** @returns the folders of the workspace packages in the folder `name`, relative to the root */
function roomsIn(name) {
  return readdirSync(join(root, name)).map((room) => join(name, room));
}

/** Runs a program in the copy, and ends this process with its exit code if that is not 0. */
function inTree(program, ...args) {
  const { status } = spawnSync(program, args, {
    cwd: tree,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${node.bin}${delimiter}${process.env.PATH}`,
      TURBO_TELEMETRY_DISABLED: '1',
      ...(node.headers === undefined ? {} : { npm_config_nodedir: node.headers }),
    },
  });
  if (status !== 0) process.exit(status ?? 1);
}
