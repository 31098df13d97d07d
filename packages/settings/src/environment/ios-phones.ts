import type { ServerAddress } from './adb-server.ts';
import type { Reader, Values } from './reader.ts';
import { trueOrFalse } from './rules.ts';

/** Settings of the iOS phones that are plugged into the host. */
export interface IosConfig {
  /**
   * Value of `SVC_IOS`, or null if it is not set. In this case, an Admin decides whether the lab offers these phones.
   */
  readonly fixed: boolean | null;
  /** Address of usbmuxd: a socket in the file system, or a port. */
  readonly address: ServerAddress | { readonly path: string };
  /**
   * All environment variables that go-ios gets. It does not inherit the server's other variables, because they may
   * contain secrets.
   */
  readonly env: Readonly<Record<string, string>>;
}

const USUAL_SOCKET = '/var/run/usbmuxd';
/** Address of the usbmuxd that Apple installs on Windows. */
const USUAL_PORT_ON_WINDOWS: ServerAddress = { host: '127.0.0.1', port: 27_015 };
const PASSED_ON = ['PATH', 'Path', 'HOME', 'SystemRoot', 'USERPROFILE', 'USBMUXD_SOCKET_ADDRESS'];

export function readIos(reader: Reader, env: Values): IosConfig {
  const fixed = reader.vital('SVC_IOS', trueOrFalse) ?? null;
  const passed = PASSED_ON.flatMap((name) => (typeof env[name] === 'string' ? [[name, env[name]]] : []));
  return { fixed, address: usualAddress(env), env: Object.fromEntries(passed) };
}

/**
 * Returns the address of usbmuxd. Other programs define the variable `USBMUXD_SOCKET_ADDRESS` (`UNIX:<path>` or
 * `host:port`), so a value that cannot be parsed causes no warning. The usual address of the system is used instead.
 */
function usualAddress(env: Values): IosConfig['address'] {
  const given = typeof env.USBMUXD_SOCKET_ADDRESS === 'string' ? env.USBMUXD_SOCKET_ADDRESS.trim() : '';
  const [, path] = /^UNIX:(\/[^\0]+)$/i.exec(given) ?? [];
  if (path !== undefined) return { path };
  const [, host, port] = /^\[?([\w.:-]+?)\]?:(\d{1,5})$/.exec(given) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  return env.OS === 'Windows_NT' ? USUAL_PORT_ON_WINDOWS : { path: USUAL_SOCKET };
}
