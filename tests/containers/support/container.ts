import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Network, runAsRoot as run } from '../../support/network.ts';
import type { Service } from './files.ts';

/**
 * Runs containers without Docker. A container is a root folder in a mount namespace, read-only except for its volumes
 * and tmpfs, in a network namespace with its own address. It has the user, environment and command of the compose file.
 * Needs root.
 */

export interface Ground {
  /** Folder with the content of `/app` in the image. */
  readonly app: string;
  /** Folder for volumes, secrets and root folders. */
  readonly folder: string;
  readonly network: Network;
  /** Variables of the `ENV` instructions of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** Contents of the secret files, by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

/** Runs one command in a service's container; the default is the service's own command. */
export function start(name: string, service: Service, ground: Ground, command?: readonly string[]): Running {
  const { folder, network } = ground;
  const root = join(folder, 'roots', `${name}-${randomBytes(2).toString('hex')}`);
  mkdirSync(root, { recursive: true });
  // Writes a new file for each start, because a shell of an earlier start might still read the old file.
  const script = `${root}.sh`;
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

/** Builds the root folder, drops the capabilities that the compose file drops, and runs the arguments. */
function rootScript(name: string, service: Service, ground: Ground, root: string): string {
  const { app, folder, environment, secrets, network } = ground;
  const hosts = join(folder, 'hosts');
  if (!existsSync(hosts)) writeFileSync(hosts, network.hosts);
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
    // Gives the folder the owner that it has in the image, as Docker does.
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
    // A health check starts while the server may be reading this file, so an existing file stays unchanged.
    if (!existsSync(file)) {
      writeFileSync(file, secrets[secret] ?? '', { mode: 0o400 });
      run('chown', `${uid}:${gid}`, file);
    }
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
