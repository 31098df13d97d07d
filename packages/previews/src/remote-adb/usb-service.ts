import { type RefusedService, type RemoteService, shownName } from './remote-service.ts';

/** Port of lockdownd, which starts the other services of an iOS phone. */
const LOCKDOWN_PORT = 62_078;
const SERVICE = /^tcp:([1-9]\d{0,4})$/;
const HIGHEST_PORT = 65_535;

/**
 * Reads the request of a connection to an iOS phone, `tcp:<port>`. usbmuxd has other requests, too, but they concern the
 * lab's host (its pair records) or other phones (their device ids), so a client gets none of them (contract 16.4).
 * @returns the service, or the name that is refused
 */
export function parseUsbService(text: string): RemoteService | RefusedService {
  const port = Number(SERVICE.exec(text)?.[1]);
  if (!(port <= HIGHEST_PORT)) return { refused: shownName(text) };
  return { kind: port === LOCKDOWN_PORT ? 'lockdown' : 'port', word: null, request: text };
}

/** @returns the port of a request that `parseUsbService` has accepted */
export function portOf(request: string): number {
  return Number(SERVICE.exec(request)?.[1]);
}
