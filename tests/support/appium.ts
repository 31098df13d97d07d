import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort, freshDataDir, type RunningProcess, type RunningServer, request, runNode } from './lab.ts';

const labPackage = createRequire(import.meta.url).resolve('@svc/lab/package.json');
const fromLab = createRequire(labPackage);

/** Capabilities of each phone that `runAppium` lists. */
export const FAKE_PHONE = {
  platformName: 'Fake',
  'appium:automationName': 'Fake',
  'appium:deviceName': 'Fake',
  'appium:app': join(dirname(labPackage), 'app', 'notes.xml'),
} as const;

const PHONES = Array.from({ length: 4 }, (_, index) => ({
  udid: `virtual-${index + 1}`,
  name: `Virtual phone ${index + 1}`,
  platform: 'Fake',
  osVersion: '1.0',
}));

export interface AppiumOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Command line arguments of Appium itself. */
  readonly args?: readonly string[];
  /** Plugins in the order of `--use-plugins`; by default only `svc`. */
  readonly plugins?: readonly string[];
  /** Code of plugins that belong to the test: the members of their class, by the name of the plugin. */
  readonly own?: Readonly<Record<string, string>>;
  /** Folders of further drivers and plugins, by the names of their packages. */
  readonly installed?: Readonly<Record<string, string>>;
  /** A file that is loaded into the process before Appium. */
  readonly preload?: string;
  readonly dataDir?: string;
}

/**
 * Runs Appium by its own command line with the plugin, for options that the lab does not offer. Does not wait until it
 * listens.
 */
export async function runAppium({
  env,
  args = [],
  plugins = ['svc'],
  own = {},
  installed = {},
  preload,
  ...rest
}: AppiumOptions = {}) {
  const port = await freePort();
  const dataDir = rest.dataDir ?? freshDataDir();
  const program = runNode(fromLab.resolve('appium'), {
    env: {
      APPIUM_HOME: isEmpty(own) && isEmpty(installed) ? dirname(labPackage) : homeWith(own, installed),
      SVC_DATA_DIR: dataDir,
      SVC_BCRYPT_COST: '10',
      ...(plugins.includes('svc') ? { SVC_DEVICES: JSON.stringify(PHONES) } : {}),
      ...(preload === undefined ? {} : { NODE_OPTIONS: `--require=${preload}` }),
      ...env,
    },
    args: [
      ...['server', '--address', '127.0.0.1', '--port', String(port), '--log-no-colors'],
      ...['--use-plugins', plugins.join(',')],
      ...args,
    ],
  });
  const url = `http://127.0.0.1:${port}`;
  const api: RunningServer['api'] = (path, init) => request(`${url}/svc/api${path}`, init);
  return { ...program, url, dataDir, api };
}

export async function startAppium(options: AppiumOptions = {}): Promise<RunningProcess & RunningServer> {
  const appium = await runAppium(options);
  await appium.line(/REST http interface listener started/);
  return appium;
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** Creates an APPIUM_HOME with the lab's driver and plugin, plugins of the test, and installed packages. */
function homeWith(
  own: Readonly<Record<string, string>>,
  installed: Readonly<Record<string, string>>,
): string {
  const home = freshDataDir();
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '@appium'), { recursive: true });
  const packages: Record<string, string> = {
    appium: dirname(fromLab.resolve('appium/package.json')),
    '@appium/fake-driver': dirname(fromLab.resolve('@appium/fake-driver/package.json')),
    'appium-svc-plugin': dirname(fromLab.resolve('appium-svc-plugin/package.json')),
    ...installed,
  };
  for (const [name, folder] of Object.entries(packages)) symlinkSync(folder, join(modules, name));
  for (const [name, code] of Object.entries(own)) writePlugin(join(modules, `appium-${name}`), name, code);
  const names = [...Object.keys(packages), ...Object.keys(own).map((name) => `appium-${name}`)];
  const dependencies = Object.fromEntries(names.map((name) => [name, '*']));
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'home', private: true, dependencies }));
  return home;
}

/** Writes CommonJS, because Appium adds its own packages to the module path of CommonJS plugins. */
function writePlugin(folder: string, name: string, code: string): void {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: `appium-${name}`,
      version: '1.0.0',
      main: 'index.js',
      peerDependencies: { appium: '*' },
      appium: { pluginName: name, mainClass: 'Own' },
    }),
  );
  writeFileSync(
    join(folder, 'index.js'),
    `const { BasePlugin } = require('appium/plugin');
     const log = require('appium/support').logger.getLogger('${name}');
     class Own extends BasePlugin {
       ${code}
     }
     module.exports = { Own };`,
  );
}
