import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig, readEntranceSettings, readLabSettings } from '@svc/settings';
import { expect, it } from 'vitest';

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/**
 * Variables of adb, usbmuxd and the system, which help to find and run their programs. They are not settings of svc.
 */
const OF_OTHER_PROGRAMS = new Set([
  ...['ADB_SERVER_SOCKET', 'ANDROID_ADB_SERVER_ADDRESS', 'ANDROID_ADB_SERVER_PORT', 'USBMUXD_SOCKET_ADDRESS'],
  ...['HOME', 'OS', 'PATH', 'Path', 'SystemRoot', 'USERPROFILE'],
]);

/** Values by name that record which names are read. */
function watched(values: Record<string, string>) {
  const read = new Set<string>();
  const get = (_: object, name: string | symbol) => {
    read.add(String(name));
    return values[String(name)];
  };
  return { read, values: new Proxy({}, { get }) };
}

/** @returns every variable that the parsers read; some are only read if others are set */
function read() {
  const env = watched({ SVC_NODE_TOKEN: 'svct_x' });
  const options = watched({
    hubUrl: 'https://hub.test',
    metricsEndpoint: 'http://collector.test',
    nodeAccessKey: 'svc_x',
    nodeUrl: 'http://node.test',
  });
  const sources = {
    homeDir: '/home/lab',
    readFile: () => '',
    resolvePath: (...parts: string[]) => parts.join('/'),
  };
  readConfig({ ...sources, env: env.values, options: options.values });
  readLabSettings({ ...sources, env: env.values });
  readEntranceSettings({ ...sources, env: env.values });
  return { all: [...env.read], options: [...options.read] };
}

it('every variable has its default and meaning on the page of settings or of names kept for compatibility (contract 5)', () => {
  const [settings = ''] = file('docs/operations/settings.md').split('## Accepted values');
  const text = settings + file('docs/names-kept.md');
  const { all } = read();
  expect(all.length).toBeGreaterThan(40);
  const named = all.filter((name) => !name.endsWith('_FILE') && !OF_OTHER_PROGRAMS.has(name));
  expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('the settings marked as secrets on the page of settings are the ones a file may hold (contract 5)', () => {
  const text = file('docs/operations/settings.md') + file('docs/names-kept.md');
  const { all } = read();
  const secrets = all.filter((name) => all.includes(`${name}_FILE`));
  const marked = [...text.matchAll(/`(SVC_\w+)` †/g)].map(([, name]) => name as string);
  // The list of secrets lacks this setting, because a secret that is set directly is not read from a file.
  expect([...new Set(marked)].sort()).toEqual([...secrets, 'SVC_NODE_TOKEN'].sort());
});

it('the plugin has an option for every setting without a secret, and no other (contract 5)', () => {
  const { properties } = JSON.parse(file('apps/appium-plugin/schema.json')) as { properties: object };
  expect(Object.keys(properties).sort()).toEqual(read().options.sort());
});

it('the table of settings is made from the parser and current (contract 5)', () => {
  const script = fileURLToPath(new URL('../../scripts/settings-table.mjs', import.meta.url));
  expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
});
