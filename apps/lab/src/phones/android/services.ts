import { connect, type Socket } from 'node:net';
import { framed } from './adb-protocol.ts';
import type { AndroidPhone } from './android-phone.ts';
import { servePackets, serveRaw } from './shell.ts';
import { serveSync } from './sync-service.ts';

/**
 * Opens a service of a phone on a connection, as adbd does.
 * @returns false if the phone has no such service
 */
export function openService(phone: AndroidPhone, service: string, socket: Socket): boolean {
  const [name = '', ...rest] = service.split(':');
  const argument = rest.join(':');
  switch (name.split(',', 1)[0]) {
    case 'sync':
      serveSync(phone.files, socket);
      return true;
    case 'exec':
      serveRaw(phone, argument, socket);
      return true;
    case 'shell':
      if (name.includes(',v2')) servePackets(phone, argument, socket);
      else serveRaw(phone, argument, socket);
      return true;
    case 'localabstract':
      return connectLocally(phone.abstractSockets.get(argument), socket);
    case 'reverse':
      socket.end(reverseAnswer(phone, argument));
      return true;
    case 'tcp':
      return connectPort(phone, Number(argument), socket);
    case 'reboot':
      phone.reboots += 1;
      socket.end();
      return true;
    default:
      return false;
  }
}

function connectPort(phone: AndroidPhone, port: number, socket: Socket): boolean {
  const target = phone.ports.get(port);
  return target === undefined ? phone.uiAutomator.accept(port, socket) : connectLocally(target, socket);
}

function connectLocally(target: number | undefined, socket: Socket): boolean {
  if (target === undefined) return false;
  const server = connect(target, '127.0.0.1');
  server.once('error', () => socket.destroy()).once('close', () => socket.destroy());
  socket.once('close', () => server.destroy());
  server.pipe(socket).pipe(server);
  return true;
}

/** Keeps the forwards of `adb reverse`. Apps of the phone connect with `connectReverse`. */
function reverseAnswer({ reverses }: AndroidPhone, request: string): string {
  const [, remote, port] = /^forward:(?:norebind:)?([^;]+);tcp:(\d+)$/.exec(request) ?? [];
  if (remote !== undefined) reverses.set(remote, Number(port));
  else if (request === 'killforward-all') reverses.clear();
  else if (request === 'list-forward')
    return framed([...reverses].map(([from, to]) => `host ${from} tcp:${to}\n`).join(''));
  else if (!reverses.delete(request.replace('killforward:', ''))) return `FAIL${framed('not found')}`;
  return 'OKAY';
}

/** Connects an app of the phone to a port that `adb reverse` has forwarded. */
export function connectReverse({ reverses }: AndroidPhone, remote: string): Socket {
  return connect(reverses.get(remote) ?? 0, '127.0.0.1');
}
