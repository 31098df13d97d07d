import type { ServerAddress } from './adb-server.ts';
import type { Reader, Values } from './reader.ts';
import { type Rule, ruled, trueOrFalse, Unusable } from './rules.ts';

/** Settings of the iOS phones that are plugged into the host. */
export interface IosConfig {
  /**
   * Value of `SVC_IOS`, or null if it is not set. In this case, an Admin decides whether the lab offers these phones.
   */
  readonly fixed: boolean | null;
  /** Whether the lab runs WebDriverAgent on the phones, and the bundle id with which it was signed. */
  readonly wda: { readonly isOn: boolean; readonly bundleId: string | null };
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

const bundleId: Rule<string> = ruled('bundle id of an app', (value) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]{0,154}$/.test(value)) throw new Unusable('is not a bundle id');
  return value;
});

export function readIos(reader: Reader, env: Values): IosConfig {
  const fixed = reader.vital('SVC_IOS', trueOrFalse) ?? null;
  const passed = PASSED_ON.flatMap((name) => (typeof env[name] === 'string' ? [[name, env[name]]] : []));
  const wda = {
    isOn: reader.value('SVC_IOS_WDA', trueOrFalse) ?? false,
    bundleId: reader.value('SVC_IOS_WDA_BUNDLE_ID', bundleId) ?? null,
  };
  return { fixed, wda, address: usualAddress(env), env: Object.fromEntries(passed) };
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
