import { existsSync, readFileSync } from 'node:fs';
import { Reader, readConfig, readEntranceSettings, readLabSettings, readListen } from '@svc/settings';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECKOUT, readStages } from './support/files.ts';

const template = (name: string) => readFileSync(`${CHECKOUT}deploy/helm/templates/${name}`, 'utf8');
const values = parse(readFileSync(`${CHECKOUT}deploy/helm/values.yaml`, 'utf8'));
const TEMPLATES = ['_helpers.tpl', 'first-entrance.yaml', 'further-entrances.yaml'].map(template);

/** Every variable that an entrance reads, and whether its value is a secret. */
function settings(): ReadonlyMap<string, boolean> {
  const read = new Map<string, boolean>();
  const sources = {
    env: {
      SVC_METRICS_ENDPOINT: 'http://collector.test',
      SVC_HUB_URL: 'https://hub.test',
      SVC_NODE_ACCESS_KEY: 'svc_x',
      SVC_NODE_TOKEN: 'svct_x',
      SVC_NODE_URL: 'http://node.test',
    },
    homeDir: '/nowhere',
    readFile: () => '',
    resolvePath: (...parts: string[]) => parts.join('/'),
    observe: ({ name, isSecret }: { name: string; isSecret: boolean }) => void read.set(name, isSecret),
  };
  readConfig(sources);
  readListen(new Reader(sources));
  readLabSettings(sources);
  readEntranceSettings({ ...sources, env: { SVC_UPSTREAM: 'http://grid.test' } });
  return read;
}

describe('deploy/helm', () => {
  const known = settings();

  it('deploy/helm sets only variables that an entrance reads (contract 5)', () => {
    const named = TEMPLATES.flatMap((text) => text.match(/\bSVC_[A-Z_]+\b/g) ?? []);
    for (const name of [...named, ...Object.keys(values.secrets), ...Object.keys(values.settings)])
      expect(known.has(name.replace(/_FILE$/, '')), name).toBe(true);
  });

  it('an ingress without trusted proxies is refused, because any client could state its address (contract 5)', () => {
    const [first = '', second = ''] = template('ingress.yaml').split('\n');
    expect([first, second]).toEqual([
      '{{- if .Values.ingress.enabled }}',
      '{{- if not .Values.trustedProxies }}',
    ]);
    expect(template('ingress.yaml').split('\n')[2]).toContain('fail "trustedProxies is empty');
  });

  it('deploy/helm refuses the value of a secret among the settings, and creates no secret itself (contract 5)', () => {
    // The address of a proxy may contain a password.
    const secrets = ['SVC_PROXY', ...[...known].flatMap(([name, secret]) => (secret ? [name] : []))].sort();
    const listed = /"svc\.secretSettings" -\}\}\n(.*)\n/.exec(TEMPLATES[0] as string)?.[1]?.split(' ');
    expect(listed).toEqual(secrets);
    for (const text of TEMPLATES) expect(text).not.toContain('kind: Secret');
  });

  it('deploy/helm starts programs that the image contains (contract 9)', () => {
    const [build = []] = readStages();
    const steps = build.map(({ text }) => text).join('\n');
    expect(steps).toContain('--filter @svc/lab --prod --legacy deploy /app ');
    expect(steps).toContain('--filter @svc/entrance --prod --legacy deploy /app/entrance');
    expect(TEMPLATES[1]).toContain('[node, node_modules/@svc/api/dist/main.js]');
    expect(TEMPLATES[2]).toContain('command: [node, entrance/dist/main.js]');
    for (const [room, main] of [
      ['api', 'program.ts'],
      ['entrance', 'main.ts'],
    ])
      expect(existsSync(`${CHECKOUT}apps/${room}/src/${main}`)).toBe(true);
    const lab = JSON.parse(readFileSync(`${CHECKOUT}apps/lab/package.json`, 'utf8'));
    expect(lab.dependencies['@svc/api']).toBe('workspace:*');
  });
});
