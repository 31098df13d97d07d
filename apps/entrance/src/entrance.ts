import type { ServerResponse } from 'node:http';
import { type GateServer, gateServer, VERSION } from '@svc/api/host.js';
import type { Clock, Log } from '@svc/auth-core';
import { executeMethodOf, type SessionEnd } from '@svc/device-lab';
import { type ConnectionPool, connectionPool, Outbound } from '@svc/outbound';
import type { Config, FirstEntranceSettings } from '@svc/settings';
import { metricsOfGate, type Telemetry } from '@svc/telemetry';
import {
  BODY_MS,
  CreateBudget,
  clientFacts,
  furtherGridGate,
  type GateCounts,
  type GridAddress,
  GridClient,
  GridWatch,
  gridUpstream,
  type Upstream,
} from '@svc/webdriver-gate';
import { openChecks } from './checks.ts';
import { CREATE_CONNECTIONS, wholeCreates } from './creates/whole-creates.ts';
import { FirstEntrance } from './first/first-entrance.ts';
import { healthSite, sendJson } from './health-site.ts';

export interface EntranceOptions {
  readonly config: Config;
  readonly first: FirstEntranceSettings;
  readonly upstream: GridAddress;
  readonly basePath: string;
  readonly log: Log;
  /** Class that sends metrics and traces, or null if none are sent. */
  readonly telemetryOf: typeof Telemetry | null;
  /** Name of this server in its metrics and traces. */
  readonly instance: string;
}

/**
 * If the first entrance has not responded for this time (ms), all create-session
 * requests that wait for its response are aborted.
 */
const SILENT_MS = 30_000;

/**
 * Creates a further entrance of a grid: a server without a database, through which clients use the grid. The first
 * entrance is the server with the database. A further entrance verifies tokens and session ids with the public keys of
 * the first entrance, receives the accounts from it, and forwards create-session requests to it.
 */
export function openEntrance(options: EntranceOptions): GateServer {
  const { config, first: settings, upstream, basePath, log } = options;
  const clock: Clock = { now: Date.now };
  const outbound = new Outbound(config.proxy);
  const telemetry = openTelemetry(options, { outbound, clock }, () => gate.counts);
  const first = new FirstEntrance(settings, outbound);
  const client = new GridClient(upstream, outbound);
  const createPool = createPoolOf(settings, outbound);
  const clients = clientFacts(config.trustedProxies);
  const checks = openChecks({ first, issuer: config.jwtIssuer, clock, log, silent: createPool.silent });
  const watch = new GridWatch({ client, clock, log });
  const gate = furtherGridGate({
    authDisabled: config.authDisabled,
    requireCommandAuth: config.requireCommandAuth,
    commandAuthReportOnly: false,
    clients,
    basePath,
    authenticator: checks.authenticator,
    connections: checks.connections,
    sessions: checks.ids,
    clock,
    log,
    grid: client,
    creates: wholeCreates({
      url: settings.url,
      pool: createPool.current,
      basePath,
      limits: { maxBytes: config.createMaxBytes, withinMs: BODY_MS },
      budget: new CreateBudget(clock),
      clients,
      commandHeaders: checks.authenticator.commandHeaders,
      clock,
      log,
    }),
    upstream: commandUpstream({ client, watch, first, basePath, clock, log }),
    tracing: telemetry?.tracing ?? null,
    site: healthSite(() => checks.accounts.version()),
  });
  checks.follow.start();
  watch.start();
  log.info(
    `This server is a further entrance of the grid at ${upstream.url}; the first entrance is ${settings.url}`,
  );
  if (gate.checksCommands) log.info('Per-command auth is ON');
  const { server, close } = gateServer(gate);
  return {
    server,
    close: async () => {
      await close();
      checks.follow.stop();
      watch.stop();
      await telemetry?.stop();
      await Promise.all([first.close(), client.close(), createPool.current().destroy()]);
    },
  };
}

interface CreatePool {
  readonly current: () => ConnectionPool;
  /**
   * Aborts all create-session requests that wait for the first entrance if its silence (`forMs`, in ms) has reached
   * `SILENT_MS`.
   */
  readonly silent: (forMs: number) => void;
}

function createPoolOf({ url, ca }: FirstEntranceSettings, outbound: Outbound): CreatePool {
  const open = () => connectionPool(url, outbound, ca === null ? {} : { ca }, CREATE_CONNECTIONS);
  let pool = open();
  return {
    current: () => pool,
    silent: (forMs) => {
      if (forMs < SILENT_MS) return;
      void pool.destroy(new Error('the first entrance does not answer'));
      pool = open();
    },
  };
}

/**
 * Creates the metrics and traces of this server. They do not cover sessions and phones, which the first entrance (the
 * server with the database) reports.
 * @returns null if no metrics and traces are sent
 */
function openTelemetry(
  { config, instance, telemetryOf: Of, log }: EntranceOptions,
  tools: { readonly outbound: Outbound; readonly clock: Clock },
  counts: () => GateCounts,
): Telemetry | null {
  return Of === null
    ? null
    : new Of({ config, instance, version: VERSION, metrics: metricsOfGate(VERSION, counts), log, ...tools });
}

interface CommandOptions {
  readonly client: GridClient;
  readonly watch: GridWatch;
  readonly first: FirstEntrance;
  readonly basePath: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Creates the upstream that forwards commands and WebSockets to the grid. When a client ends a session, the upstream
 * reports the end to the first entrance.
 */
function commandUpstream({ watch, first, log, ...options }: CommandOptions): Upstream {
  return gridUpstream({
    ...options,
    log,
    events: {
      responded: () => watch.responded(),
      used: () => undefined,
      lost: () => undefined,
      end: reportEnds(first, log),
    },
    sessions: null,
    execute: answerUnrecorded,
  });
}

/**
 * @returns a function that reports to the first entrance that a client has ended a session. Without the report, the
 * first entrance would only notice that the grid no longer lists the session, and would record it as lost.
 */
function reportEnds(first: FirstEntrance, log: Log): (id: string, end: SessionEnd) => void {
  return (id) => {
    first.ended(id).catch((error: unknown) => {
      log.warn('The end of a session could not be reported to the first entrance', { cause: String(error) });
    });
  };
}

/**
 * Responds to a `svc:` execute method with `recorded: false`. Such a method changes the record of a session, which is
 * stored only at the first entrance (contract 6.5).
 * @returns false if the script is not a `svc:` execute method
 */
function answerUnrecorded(
  _id: string,
  { script }: { readonly script?: unknown },
  res: ServerResponse,
): boolean {
  if (executeMethodOf(script) === undefined) return false;
  sendJson(res, 200, { value: { recorded: false, message: 'records are kept by the first entrance' } });
  return true;
}
