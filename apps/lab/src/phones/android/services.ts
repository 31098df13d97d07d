import { connect, type Socket } from 'node:net';
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
  if (target === undefined) return phone.uiAutomator.accept(port, socket);
  const server = connect(target, '127.0.0.1');
  server.once('error', () => socket.destroy()).once('close', () => socket.destroy());
  socket.once('close', () => server.destroy());
  server.pipe(socket).pipe(server);
  return true;
}
