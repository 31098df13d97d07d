import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig, readLabSettings } from '@svc/settings';
import { describe, expect, it } from 'vitest';
import { CHECKOUT, environmentOf, readCompose, readStages } from './support/files.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const [build = [], image = []] = readStages();

describe.each(services)('docker-compose.yml, %s', (name, service) => {
  it('a container of docker-compose.yml may do and write no more than it needs (contract 8)', () => {
    expect(service).toMatchObject({ user: '1000:1000', read_only: true, init: true, cap_drop: ['ALL'] });
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.ports ?? []).toEqual(name === 'hub' ? ['127.0.0.1:4723:4723'] : []);
    expect(service.networks.includes('outside')).toBe(name === 'hub');
    expect(service.secrets).toEqual(['admin-password']);
    for (const text of Object.values(service.environment)) expect(text).not.toMatch(/svct?_/);
  });

  it('sets what the service knows, and nothing that it warns of (contract 5)', () => {
    const { HUB_URL: _, ENROLLED: __, ...env } = service.environment;
    const sources = {
      env: {
        ...environmentOf(image),
        ...env,
        ...(name.startsWith('node') ? { SVC_NODE_ACCESS_KEY: 'x' } : {}),
      },
      homeDir: '/nowhere',
      readFile: () => 'a password of the test',
      resolvePath: resolve,
    };
    const { config, warnings } = readConfig(sources);
    expect([...warnings, ...readLabSettings(sources).warnings]).toEqual([]);
    expect(config).toMatchObject({ dataDir: '/data', authDisabled: false });
    if (name === 'enroll') return;
    expect(config).toMatchObject({ requireSessionToken: true, requireCommandAuth: true });
    const url = name === 'hub' ? undefined : `http://${name}:4723`;
    expect(config.node?.url).toBe(url);
  });
});

describe('the files of the containers', () => {
  it('every server has a volume, a health check and what it starts after (contract 8)', () => {
    const data = services.flatMap(([, { volumes }]) => volumes.filter((each) => each.endsWith(':/data')));
    expect(new Set(data).size).toBe(3);
    expect(Object.keys(compose.volumes).sort()).toEqual([
      'enrolled',
      'hub-data',
      'node-1-data',
      'node-2-data',
    ]);
    for (const [name, { healthcheck }] of services) {
      if (name !== 'enroll') expect(healthcheck.test).toEqual(['CMD', 'node', 'docker/health.mjs']);
    }
    expect(compose.networks.lab?.internal).toBe(true);
    expect(compose.secrets['admin-password']?.file).toBe('./secrets/admin-password');
  });

  it('the image has no user root, no build tools, and copies what is there (contract 9)', () => {
    expect(image.find(({ name }) => name === 'USER')?.text).toBe('1000:1000');
    expect(image[0]?.text).toBe(build[0]?.text.replace(' AS build', ''));
    expect(image.some(({ text }) => /apt-get|pnpm/.test(text))).toBe(false);
    const copied = image.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from=build'));
    for (const { text } of copied)
      expect(existsSync(join(CHECKOUT, text.split(' ')[0] as string))).toBe(true);
  });
});
