import { resolve } from 'node:path';
import { openAccountServices } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { API_PREFIX, routes } from '@svc/contract';
import { readConfig } from '@svc/settings';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshDataDir } from '../support/lab.ts';
import { ADMIN, quickHasher } from './support/service.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const OF_PHONES = /\/packages\/(device-lab|nodes|previews|recordings|webhooks|webdriver-gate)\//;

describe('a server that only authenticates', () => {
  let services: Awaited<ReturnType<typeof openAccountServices>>;
  let app: Awaited<ReturnType<typeof buildApp>>;
  const startedBy: string[] = [];

  beforeAll(async () => {
    const { config } = readConfig({
      env: { SVC_DATA_DIR: freshDataDir(), SVC_BCRYPT_COST: '10' },
      homeDir: '/nowhere',
      readFile: () => '',
      resolvePath: resolve,
    });
    for (const name of ['setInterval', 'setTimeout'] as const) {
      const start = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
      vi.spyOn(globalThis, name).mockImplementation(((...args: unknown[]) => {
        startedBy.push(new Error('timer').stack ?? '');
        return start(...args);
      }) as never);
    }
    services = await openAccountServices({ config, log: QUIET, hasher: quickHasher(config.bcryptCost) });
    app = await buildApp(services);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await app.close();
    await services.close();
  });

  it('a server without phones opens four modules and starts no timer of another (design 2)', () => {
    expect(Object.keys(services.modules)).toEqual(['audit', 'settings', 'refusals', 'accounts']);
    expect(startedBy.length).toBeGreaterThan(0);
    expect(startedBy.filter((stack) => OF_PHONES.test(stack))).toEqual([]);
  });

  it('a server without phones answers its own routes, and knows none about phones (design 2)', async () => {
    const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
      { ...ADMIN, network: '', userAgent: null },
      { address: null, peer: null, requestId: null },
    );
    const headers = { cookie: `svc_dashboard_session=${cookie}` };
    const statusOf = async ({ path }: { path: string }) =>
      (await app.inject({ url: `${API_PREFIX}${path}`, headers })).statusCode;
    const { listDevices, listSessions, listLeases, getQueue, listNodes, listWebhooks, verify } = routes;
    for (const route of [listDevices, listSessions, listLeases, getQueue, listNodes, listWebhooks, verify])
      expect([route.path, await statusOf(route)]).toEqual([route.path, 404]);
    const { listUsers, settings, auditTrail, me, capabilities, accessMatrix, metrics, health, ready } =
      routes;
    for (const route of [
      listUsers,
      settings,
      auditTrail,
      me,
      capabilities,
      accessMatrix,
      metrics,
      health,
      ready,
    ])
      expect([route.path, await statusOf(route)]).toEqual([route.path, 200]);
  });
});
