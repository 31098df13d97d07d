import { createHash } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { isLoopback } from '@svc/contract';
import type { AdbAddress } from './adb-connection.ts';

/**
 * @returns the name of a lock for a subject of an adb server, such as a phone. Servers on one host that use the same adb
 * server get the same name.
 */
export function adbLockName({ host, port }: AdbAddress, subject: string): string {
  const server = `${isLoopback(host) ? '127.0.0.1' : host.toLowerCase()}:${port}`;
  return `svc-${createHash('sha256').update(`${server} ${subject}`).digest('hex').slice(0, 32)}`;
}

/**
 * Takes a lock that all processes of this host share. The lock is a listening local socket, so the system gives it to
 * one process at a time and frees it when the process ends in any way, including SIGKILL. On macOS there is no such
 * socket, so every process gets the lock.
 * @returns a function that frees the lock, or null if another process has it
 */
export async function takeHostLock(name: string): Promise<(() => void) | null> {
  const path = pathOf(name);
  return path === null ? () => undefined : await listen(path);
}

/** @returns whether a process of this host has the lock, which can be this process */
export function isHostLocked(name: string): Promise<boolean> {
  const path = pathOf(name);
  if (path === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (isLocked: boolean) => {
      socket.destroy();
      resolve(isLocked);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
}

function listen(path: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.on('error', () => resolve(null));
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      resolve(() => server.close());
    });
  });
}

/** On Linux the name is in the abstract namespace, which has no files. */
function pathOf(name: string): string | null {
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : null;
}
