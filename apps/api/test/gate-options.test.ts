import { readConfig } from '@svc/settings';
import { expect, it } from 'vitest';
import { appiumGateOptions } from '../src/server/gate-options.ts';
import type { Services } from '../src/services/services.ts';

const NEEDED = [
  'authDisabled',
  'requireSessionToken',
  'queueSeconds',
  'requireCommandAuth',
  'commandAuthReportOnly',
  'createMaxBytes',
];

it('the gate gets six settings, and none of the secrets in the configuration (contract 5)', () => {
  const { config } = readConfig({
    env: { SVC_SMTP_URL: 'smtp://lab:smtp-secret@mail.test', SVC_BOOTSTRAP_ADMIN_PASSWORD: 'first-secret' },
    homeDir: '/home/lab',
    readFile: () => '',
    resolvePath: (...parts) => parts.join('/'),
  });
  const hub = { offers: { nodes: {}, nodeClient: {} } };
  const modules = { hub, lab: { offers: { lab: {} } }, refusals: { offers: {} } };
  const services = { config, modules, clock: {}, log: {} };
  const options = appiumGateOptions(services as unknown as Services, {
    basePath: '',
    cors: false,
    upstream: {} as never,
    site: {} as never,
    callbacks: {} as never,
    mayBeRewritten: false,
  });
  expect(Object.keys(options).filter((name) => name in config)).toEqual(NEEDED);
  expect(JSON.stringify(options)).not.toContain('-secret');
});
