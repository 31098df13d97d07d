import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServices, type Services } from '@svc/api';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { readConfig } from '@svc/settings';
import { appiumGate, CreateBudget, clientFacts } from '@svc/webdriver-gate';
import type { Report } from './report/report.ts';

const ROUNDS = 7;
const CHECKS = 100_000;
const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const EMAIL = 'bench@svc.local';
const PASSWORD = 'a password of benches';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Measures the gate's own work on a command with cached credentials, in this process and without network. */
export async function checkAlone(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const { config } = readConfig({
    env: {
      SVC_DATA_DIR: folder,
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_BCRYPT_COST: '10',
      SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    },
    homeDir: folder,
    readFile: () => '',
    resolvePath: resolve,
  });
  const services = await openServices({ config, log: QUIET });
  const sent = await credentials(services);
  report.begin('The check of a command', 'The gate alone, warm, in one process without network');
  for (const [name, headers] of Object.entries(sent)) {
    report.add({
      what: name,
      values: await microseconds(services, headers),
      unit: 'us',
      goal: { atMost: 5 },
    });
  }
  await services.close();
  rmSync(folder, { recursive: true, force: true });
}

async function credentials(services: Services): Promise<Record<string, Record<string, string>>> {
  const from = { address: null, peer: null, requestId: null };
  const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
    { email: EMAIL, password: PASSWORD, network: '', userAgent: null },
    from,
  );
  const caller = await services.authenticator.authenticate({ headers: {}, cookie }, from);
  const made = services.modules.accounts.offers.apiTokens.createProfileToken(caller, { name: 'bench' });
  await services.modules.lab.offers.lab.creates.createSession(
    sampleAdmission({ caller }),
    {},
    sampleStart(ID),
  );
  return {
    pair: { 'x-svc-access-key': caller.account.accessKey, 'x-svc-token': made.secret },
  };
}

async function microseconds(services: Services, headers: Record<string, string>): Promise<number[]> {
  let passed = 0;
  const upstream = { request: () => void passed++, upgrade: () => undefined };
  const { modules, authenticator, audit, stores, clock, openConnections: connections, config } = services;
  const { lab } = modules.lab.offers;
  const { refusals } = modules.refusals.offers;
  const site = upstream;
  const facts = {
    lab,
    authenticator,
    audit,
    stores,
    connections,
    clock,
    refusals,
    upstream,
    site,
    log: QUIET,
  };
  const gate = appiumGate({
    authDisabled: config.authDisabled,
    requireSessionToken: config.requireSessionToken,
    requireCommandAuth: config.requireCommandAuth,
    commandAuthReportOnly: config.commandAuthReportOnly,
    ...facts,
    reportOnlyStats: null,
    clients: clientFacts([]),
    createMaxBytes: config.createMaxBytes,
    createBudget: new CreateBudget(clock),
    basePath: '',
    cors: false,
    places: { place: async () => null },
    callbacks: { find: () => undefined },
    fromHub: null,
    attach: { find: () => undefined, noteUse: () => undefined, sessionsAt: () => [] },
  });
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const requests = Array.from({ length: CHECKS }, () => requestWith(headers));
    const res = { destroyed: false } as ServerResponse;
    const began = performance.now();
    for (const req of requests) gate.request(req, res);
    rounds.push(((performance.now() - began) * 1000) / CHECKS);
  }
  if (passed !== ROUNDS * CHECKS) throw new Error('a check refused');
  return rounds;
}

/** Represents a kept-alive connection, as most clients have it. */
const SOCKET = {};

/** @returns the request that Node.js creates for a command of a typical client */
function requestWith(headers: Record<string, string>): IncomingMessage {
  const all = {
    host: '127.0.0.1:4723',
    connection: 'keep-alive',
    accept: '*/*',
    'user-agent': 'a client',
    'content-type': 'application/json; charset=utf-8',
    ...headers,
  };
  return {
    method: 'GET',
    url: `/session/${ID}/timeouts`,
    headers: all,
    socket: SOCKET,
    rawHeaders: Object.entries(all).flat(),
  } as unknown as IncomingMessage;
}
