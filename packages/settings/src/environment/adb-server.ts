import type { Values } from './reader.ts';
import { type Rule, ruled, Unusable } from './rules.ts';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const USUAL_HOST = '127.0.0.1';
const USUAL_PORT = 5037;
const HIGHEST_PORT = 65_535;

/** Parses `SVC_ADB`: `host:port`, `true` for port 5037 on this machine, or `false` (returns null) for no adb server. */
export const adbAddress: Rule<ServerAddress | null> = ruled('`true`, `false` or `host:port`', (text) => {
  if (text === 'true') return { host: USUAL_HOST, port: USUAL_PORT };
  if (text === 'false') return null;
  const address = hostAndPort(text);
  if (address === undefined) throw new Unusable('is neither true, false nor host:port');
  return address;
});

/**
 * Returns the address at which adb itself expects its server. adb reads `ADB_SERVER_SOCKET` (`tcp:host:port` or
 * `tcp:port`), or else `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT`. The variables belong to adb, so an
 * unusable value is ignored and reported nowhere.
 */
export function usualAdbAddress(env: Values): ServerAddress {
  const socket = textOf(env.ADB_SERVER_SOCKET);
  if (socket !== undefined) {
    const [, address] = /^tcp:(.+)$/i.exec(socket) ?? [];
    const port = portOf(address);
    if (port !== undefined) return { host: USUAL_HOST, port };
    return (
      (address === undefined ? undefined : hostAndPort(address)) ?? { host: USUAL_HOST, port: USUAL_PORT }
    );
  }
  const host = textOf(env.ANDROID_ADB_SERVER_ADDRESS);
  const port = portOf(textOf(env.ANDROID_ADB_SERVER_PORT)) ?? USUAL_PORT;
  return { host: host !== undefined && /^[\w.:-]+$/.test(host) ? host : USUAL_HOST, port };
}

function hostAndPort(text: string): ServerAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = portOf(digits);
  return host === undefined || port === undefined ? undefined : { host, port };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= HIGHEST_PORT ? port : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
