import { resolve } from 'node:path';
import { type App, type LocalLab, openServices, type Services } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import type { Clock } from '@svc/auth-core';
import { readConfig } from '@svc/settings';
import { freshDataDir } from './lab.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export interface RunningApp {
  readonly app: App;
  readonly services: Services;
  close(): Promise<void>;
}

interface AppOptions {
  readonly clock?: Clock;
  /** Devices in addition to those of `SVC_DEVICES`. */
  readonly localLab?: LocalLab;
}

/** Starts the API in this process with its own database and a clock that the test may control. */
export async function openApp(
  env: Record<string, string> = {},
  options: AppOptions = {},
): Promise<RunningApp> {
  const { config } = readConfig({
    env: { SVC_DATA_DIR: freshDataDir(), SVC_BCRYPT_COST: '10', ...env },
    homeDir: '/nowhere',
    readFile: () => '',
    resolvePath: resolve,
  });
  const services = await openServices({ config, log: QUIET, ...options });
  const app = await buildApp(services);
  const close = async () => {
    await app.close();
    await services.close();
  };
  return { app, services, close };
}

/** One row of `GET /access-matrix`. */
export interface MatrixRow {
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'ticket' | 'caller';
  readonly role: string | null;
  readonly scope: string | null;
  readonly credentials: readonly string[];
  readonly category: string;
  readonly originCheck: boolean;
}

/** Reads the route table as an Admin. */
export async function routeTableOf({ app, services }: RunningApp): Promise<MatrixRow[]> {
  const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
    { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  const answer = await app.inject({
    method: 'GET',
    url: '/svc/api/access-matrix',
    headers: { cookie: `svc_dashboard_session=${cookie}` },
  });
  return answer.json().routes;
}
