import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { isLoopback } from '@svc/contract';
import { NoMatchingDevice } from '../allocate-device.ts';
import type { AdbAddress } from '../sources/adb/adb-connection.ts';

/**
 * Locks a phone of an adb server for one server of this host, so that two servers which share the adb server do not
 * drive the same phone (contract 14.8). The lock is a socket in Linux's abstract namespace, which the system closes if
 * the server is killed. Other systems have no such names, so there is no lock there.
 * @returns a function that ends the lock
 * @throws NoMatchingDevice if another server has locked the phone
 */
export async function lockPhone(udid: string, { host, port }: AdbAddress): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined;
  const server = isLoopback(host) ? `local:${port}` : `${host}:${port}`;
  const digest = createHash('sha256').update(`${server} ${udid}`).digest('hex');
  const lock = createServer((socket) => socket.destroy());
  const isMine = await new Promise<boolean>((resolve) => {
    lock.on('error', () => resolve(false));
    lock.listen(`\0svc-phone-${digest}`, () => resolve(true));
  });
  if (!isMine) throw new NoMatchingDevice('the phone is busy', 'busy');
  lock.unref();
  return () => void lock.close();
}
