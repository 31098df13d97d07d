import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { LabSettings } from '@svc/settings';
import { main as startAppium } from 'appium';
import { useLocalLab } from 'appium-svc-plugin/local-lab';
import { appiumHome } from './appium-home.ts';
import { openAppsByAddress } from './library-apps.ts';
import { claimPort } from './port.ts';
import { virtualPhones } from './virtual-phones.ts';

/** Path of the app that every virtual phone opens. */
const APP = fileURLToPath(new URL('../app/notes.xml', import.meta.url));

/**
 * Maximum time (ms) for requests that are under way to end during the shutdown. Afterwards their connections are
 * closed.
 */
const SHUTDOWN_MS = 2000;
const ANSWER_MS = 10_000;

export interface Lab {
  /** Address of the lab: scheme, host and port, without the base path. */
  readonly url: string;
  readonly basePath: string;
  readonly app: string;
  readonly devices: readonly string[];
  /** Whether the first account still has the built-in password, which the documentation publishes. */
  readonly builtInPassword: boolean;
}

/**
 * Starts Appium with the svc plugin and the virtual phones in this process. Resolves when both Appium and svc respond
 * to requests.
 * @param drivers folders of drivers that Appium loads in addition, by the names of their packages
 */
export async function startLab(
  settings: LabSettings,
  drivers: Readonly<Record<string, string>> = {},
): Promise<Lab> {
  const { host, basePath, devices: count, devicePrefix } = settings;
  const port = await claimPort(settings.port, host);
  useLocalLab({
    sources: count === 0 ? [] : [virtualPhones({ count, prefix: devicePrefix, clock: { now: Date.now } })],
    capabilities: {
      platformName: 'Fake',
      'appium:automationName': 'Fake',
      'appium:deviceName': 'Fake',
      'appium:app': APP,
    },
  });
  openAppsByAddress();
  let builtInPassword = false;
  const home = appiumHome(drivers);
  // The pages find Appium Inspector in this folder, unless the environment names another one.
  process.env.APPIUM_HOME ??= home;
  const server = await startAppium({
    appiumHome: home,
    address: host,
    port,
    basePath,
    usePlugins: ['svc'],
    loglevel: settings.logLevel,
    allowInsecure: settings.sessionDiscovery ? ['*:session_discovery'] : [],
    logNoColors: !process.stdout.isTTY,
    shutdownTimeout: SHUTDOWN_MS,
    throwInsteadOfExit: true,
    logHandler: (_level: string, message: string) => {
      builtInPassword ||= message.includes('still has the built-in password');
    },
  });
  const url = `http://${reachable(host)}:${port}`;
  if (server === undefined || !(await answers(url, basePath))) {
    throw new Error(
      'Appium runs, but svc does not respond on its port, so the lab would be unprotected. Not starting.',
    );
  }
  const devices = Array.from({ length: count }, (_, index) => `${devicePrefix}-${index + 1}`);
  return { url, basePath, app: APP, devices, builtInPassword };
}

/**
 * Checks that both Appium and svc respond on the port. The check of svc is needed because Appium only logs that a
 * plugin cannot be loaded, and then runs without it.
 */
async function answers(url: string, basePath: string): Promise<boolean> {
  const health = await getJson(`${url}/svc/api/health`);
  const status = await getJson(`${url}${basePath}/status`);
  return health?.ok === true && status?.value?.ready === true;
}

type HttpResponse = { readonly ok?: unknown; readonly value?: { readonly ready?: unknown } };

/** @returns the JSON of a response with status 200, otherwise undefined */
function getJson(url: string): Promise<HttpResponse | undefined> {
  return new Promise((answer) => {
    const request = get(url, { agent: false, timeout: ANSWER_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => answer(response.statusCode === 200 ? parsed(text) : undefined));
      response.on('error', () => answer(undefined));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => answer(undefined));
  });
}

function parsed(text: string): HttpResponse | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the host name at which clients on this machine reach the server. If the server listens on all addresses, this
 * is the loopback address.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
