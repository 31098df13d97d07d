import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Service } from './files.ts';

/*
 * Containers without Docker: a root of its own in a mount namespace, read-only but for its volumes and tmpfs, a network
 * namespace with an address of its own, and the user, environment and command of the compose file. Needs root.
 */

const AS_ROOT = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
const run = (...command: string[]) => {
  const [program = '', ...args] = [...AS_ROOT, ...command];
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

/** A network of its own, as seen by the test at `10.231.<number>.1`. */
export class Network {
  readonly #id = randomBytes(3).toString('hex');
  readonly #prefix = `10.231.${1 + (process.pid % 250)}`;
  readonly #names = new Map<string, string>();

  constructor() {
    run('ip', 'netns', 'add', this.#namespace('switch'));
    run('ip', '-n', this.#namespace('switch'), 'link', 'add', 'bridge0', 'type', 'bridge');
    run('ip', '-n', this.#namespace('switch'), 'link', 'set', 'bridge0', 'up');
    this.#plug('test', null);
  }

  #namespace(name: string): string {
    return `svc-${this.#id}-${name}`;
  }

  add(name: string): void {
    run('ip', 'netns', 'add', this.#namespace(name));
    run('ip', '-n', this.#namespace(name), 'link', 'set', 'lo', 'up');
    this.#plug(name, this.#namespace(name));
  }

  /** Null: the test's own. */
  #plug(name: string, namespace: string | null): void {
    const address = `${this.#prefix}.${this.#names.size + 1}`;
    this.#names.set(name, address);
    const [inside, outside] = [`v${this.#id}${this.#names.size}`, `p${this.#names.size}`];
    run(
      'ip',
      'link',
      'add',
      inside,
      'type',
      'veth',
      'peer',
      'name',
      outside,
      'netns',
      this.#namespace('switch'),
    );
    const at = namespace === null ? [] : ['-n', namespace];
    if (namespace !== null) run('ip', 'link', 'set', inside, 'netns', namespace);
    run('ip', ...at, 'address', 'add', `${address}/24`, 'dev', inside);
    run('ip', ...at, 'link', 'set', inside, 'up');
    run('ip', '-n', this.#namespace('switch'), 'link', 'set', outside, 'master', 'bridge0', 'up');
  }

  addressOf(name: string): string {
    return this.#names.get(name) as string;
  }

  get hosts(): string {
    return [
      '127.0.0.1 localhost',
      ...[...this.#names].map(([name, address]) => `${address} ${name}`),
      '',
    ].join('\n');
  }

  enter(name: string): string[] {
    return [...AS_ROOT, 'ip', 'netns', 'exec', this.#namespace(name)];
  }

  remove(): void {
    for (const name of [...this.#names.keys(), 'switch']) {
      if (name !== 'test') run('ip', 'netns', 'delete', this.#namespace(name));
    }
  }
}

export interface Ground {
  /** `/app` of the image. */
  readonly app: string;
  /** Where volumes, secrets and roots are kept. */
  readonly folder: string;
  readonly network: Network;
  /** `ENV` of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** By name, what the file holds. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

/** Runs one command of a service's container; `command` absent: the service's own. */
export function start(name: string, service: Service, ground: Ground, command?: readonly string[]): Running {
  const { folder, network } = ground;
  const root = join(folder, 'roots', `${name}-${randomBytes(2).toString('hex')}`);
  mkdirSync(root, { recursive: true });
  const script = join(folder, `${name}.sh`);
  writeFileSync(script, rootScript(name, service, ground, root));
  const wanted = command ??
    service.command?.map((part) => part.replaceAll('$$', '$')) ?? ['node', 'dist/main.js'];
  const [program = '', ...args] = [...network.enter(name), 'unshare', '-m', 'sh', script, ...wanted];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { child, ended, output: () => output };
}

/** Builds the root, drops what the compose file drops and runs its arguments there. */
function rootScript(name: string, service: Service, ground: Ground, root: string): string {
  const { app, folder, environment, secrets, network } = ground;
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, network.hosts);
  const [uid, gid] = service.user.split(':');
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const env = Object.entries({
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ...environment,
    ...service.environment,
  });
  const binds = service.volumes.flatMap((volume) => {
    const [source = '', path = '', mode] = volume.split(':');
    const from = join(folder, 'volumes', source);
    // As Docker makes it: with the owner that the folder has in the image.
    if (!existsSync(from)) {
      mkdirSync(from, { recursive: true, mode: 0o700 });
      run('chown', `${uid}:${gid}`, from);
    }
    return [
      `mkdir -p "$R${path}"; mount --bind ${quoted(from)} "$R${path}"`,
      ...(mode === 'ro' ? [`mount -o remount,bind,ro "$R${path}"`] : []),
    ];
  });
  const secretFiles = service.secrets.flatMap((secret) => {
    const file = join(folder, `secret-${name}-${secret}`);
    writeFileSync(file, secrets[secret] ?? '', { mode: 0o400 });
    run('chown', `${uid}:${gid}`, file);
    return [
      `mkdir -p "$R/run/secrets"; touch "$R/run/secrets/${secret}"`,
      `mount --bind ${quoted(file)} "$R/run/secrets/${secret}"; mount -o remount,bind,ro "$R/run/secrets/${secret}"`,
    ];
  });
  const lines = [
    'set -e',
    `R=${quoted(root)}`,
    'mount --make-rprivate /',
    'mount -t tmpfs -o mode=755 tmpfs "$R"',
    'mkdir "$R/usr" "$R/etc" "$R/proc" "$R/dev" "$R/app"',
    'for link in bin sbin lib lib64; do [ -L "/$link" ] && cp -a "/$link" "$R/$link" || true; done',
    'mount --bind /usr "$R/usr"; mount -o remount,bind,ro "$R/usr"',
    'mount --bind /etc "$R/etc"; mount -o remount,bind,ro "$R/etc"',
    `mount --bind ${quoted(hosts)} "$R/etc/hosts"`,
    'mount -t proc proc "$R/proc"; mount --rbind /dev "$R/dev"',
    `mount --bind ${quoted(app)} "$R/app"; mount -o remount,bind,ro "$R/app"`,
    ...binds,
    ...secretFiles,
    ...service.tmpfs.map((path) => `mkdir -p "$R${path}"; mount -t tmpfs -o mode=1777 tmpfs "$R${path}"`),
    'mount -o remount,ro "$R"',
    `exec chroot "$R" setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all \\`,
    `  --inh-caps=-all env -i ${env.map(([key, value]) => quoted(`${key}=${value}`)).join(' ')} \\`,
    '  sh -c \'cd /app && exec "$@"\' sh "$@"',
  ];
  return `${lines.join('\n')}\n`;
}
