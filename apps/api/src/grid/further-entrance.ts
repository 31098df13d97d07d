import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Authenticator,
  BearerScheme,
  type Clock,
  HubKeys,
  type Log,
  OpenConnections,
  RateLimiter,
  RemoteKeyPairScheme,
  RemoteVerifier,
  SignedSessionIds,
  ToldAccounts,
} from '@svc/auth-core';
import { API_PREFIX } from '@svc/contract';
import { executeMethodOf, type SessionEnd } from '@svc/device-lab';
import { connectionPool, Outbound } from '@svc/outbound';
import type { Config, FirstEntranceSettings } from '@svc/settings';
import {
  BODY_MS,
  CREATE_CONNECTIONS,
  CreateBudget,
  furtherGridGate,
  type GateCounts,
  type GridAddress,
  GridClient,
  GridWatch,
  gridUpstream,
  refuseUpgrade,
  type Upstream,
  wholeCreates,
} from '@svc/webdriver-gate';
import { clientFacts } from '../client-address.ts';
import { metricsOfGate } from '../metrics/definitions.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type EntranceServer, serverOf } from './entrance.ts';
import { FirstEntrance } from './first-entrance.ts';
import { FollowAccounts } from './follow-accounts.ts';

interface FurtherOptions {
  readonly config: Config;
  readonly first: FirstEntranceSettings;
  readonly upstream: GridAddress;
  readonly basePath: string;
  readonly log: Log;
  /** Null: it sends no metrics and traces. */
  readonly telemetryOf: typeof Telemetry | null;
  /** For them: tells this server from others of its host. */
  readonly instance: string;
}

/** The first entrance does not answer for so long: creates that wait for it are given up (ms). */
const SILENT_MS = 30_000;

/**
 * One more entrance of the same grid, without a database: tokens and ids of sessions are verified with the first one's
 * public keys, accounts and keys are those it tells, and creates are handed on to it.
 */
export function furtherEntrance(options: FurtherOptions): EntranceServer {
  const { config, first, upstream, basePath, log } = options;
  const clock: Clock = { now: Date.now };
  const outbound = new Outbound(config.proxy);
  const telemetry = openTelemetry(options, { outbound, clock }, () => gate.counts);
  const asked = new FirstEntrance(first, outbound);
  const client = new GridClient(upstream, outbound);
  const tls = first.ca === null ? {} : { ca: first.ca };
  const openPool = () => connectionPool(first.url, outbound, tls, CREATE_CONNECTIONS);
  let pool = openPool();
  const silent = (forMs: number): void => {
    if (forMs < SILENT_MS) return;
    void pool.destroy(new Error('the first entrance does not answer'));
    pool = openPool();
  };
  const { addressOf, isHttps } = clientFacts(config.trustedProxies);
  const checks = openChecks({ asked, issuer: config.jwtIssuer, clock, log, silent });
  const watch = new GridWatch({ client, clock, log });
  const grid = gridUpstream({
    client,
    heard: {
      heard: () => watch.heard(),
      used: () => undefined,
      lost: () => undefined,
      end: tellFirst(asked, log),
    },
    sessions: null,
    basePath,
    clock,
    log,
    execute: answerUnrecorded,
  });
  const gate = furtherGridGate({
    authDisabled: config.authDisabled,
    requireCommandAuth: config.requireCommandAuth,
    commandAuthReportOnly: false,
    addressOf,
    isAddressVerified: config.trustedProxies.length > 0,
    basePath,
    authenticator: checks.authenticator,
    connections: checks.connections,
    sessions: checks.ids,
    clock,
    log,
    grid: client,
    creates: wholeCreates({
      url: first.url,
      pool: () => pool,
      basePath,
      limits: { maxBytes: config.createMaxBytes, withinMs: BODY_MS },
      budget: new CreateBudget(clock),
      addressOf,
      isHttps,
      clock,
      log,
    }),
    upstream: grid,
    tracing: telemetry?.tracing ?? null,
    site: siteWithoutAccounts(() => checks.accounts.version()),
  });
  checks.follow.start();
  watch.start();
  log.info(`This server is one more entrance of the grid at ${upstream.url}; the first one is ${first.url}`);
  if (gate.checksCommands) log.info('Per-command auth is ON');
  const { server, close } = serverOf(gate);
  return {
    server,
    close: async () => {
      await close();
      checks.follow.stop();
      watch.stop();
      await telemetry?.stop();
      await Promise.all([asked.close(), client.close(), pool.destroy()]);
    },
  };
}

/** What it has to tell of itself; the lab's figures are the first entrance's. */
function openTelemetry(
  { config, instance, telemetryOf: Of, log }: FurtherOptions,
  around: { readonly outbound: Outbound; readonly clock: Clock },
  counts: () => GateCounts,
): Telemetry | null {
  return Of === null ? null : new Of({ config, instance, metrics: metricsOfGate(counts), log, ...around });
}

/** Rows of the audit trail are the first entrance's; refusals have their lines in the log here. */
const NO_AUDIT = {
  recordRefusal: () => undefined,
  recordBestEffort: () => undefined,
  recordAfterwards: () => undefined,
};

interface Around {
  readonly asked: FirstEntrance;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly silent: (forMs: number) => void;
}

/** Everything that is checked by what the first entrance publishes and tells. */
function openChecks({ asked, issuer, clock, log, silent }: Around) {
  const keys = new HubKeys({ fetch: () => asked.keys(), clock, log });
  const accounts = new ToldAccounts(clock);
  const follow = new FollowAccounts({ first: asked, accounts, keys, clock, log, silent });
  const version = () => accounts.version();
  const stores = { accounts, version, versionHere: version };
  const learn = (accountId: string) => follow.learn(accountId);
  const signer = new RemoteVerifier({ keys, issuer, clock, learn });
  const schemes = [
    new RemoteKeyPairScheme({
      ask: (pair) => asked.callerOf(pair),
      learn,
      version,
      ended: () => connections.recheck(),
      clock,
    }),
    new BearerScheme(signer),
  ];
  const authenticator = new Authenticator({
    stores,
    clock,
    audit: NO_AUDIT,
    limiter: new RateLimiter(clock),
    schemes,
    signer,
  });
  const connections = new OpenConnections({ stores, authenticator, clock, log });
  const ids = new SignedSessionIds({ own: () => undefined, trusted: () => keys.all() }, issuer);
  return { accounts, follow, authenticator, connections, ids };
}

/** Otherwise it would take the session for lost once the grid no longer names it. */
function tellFirst(first: FirstEntrance, log: Log): (id: string, end: SessionEnd) => void {
  return (id) => {
    first.ended(id).catch((error: unknown) => {
      log.warn('The first entrance was not told of the end of a session', { cause: String(error) });
    });
  };
}

/** `svc:` execute methods change records, and there are none here (contract 6.5). */
function answerUnrecorded(
  _id: string,
  { script }: { readonly script?: unknown },
  res: ServerResponse,
): boolean {
  if (executeMethodOf(script) === undefined) return false;
  send(res, 200, { value: { recorded: false, message: 'records are kept by the first entrance' } });
  return true;
}

/** The pages and the API are the first entrance's; a balancer asks this one about its health. */
function siteWithoutAccounts(version: () => number): Upstream {
  return {
    request: (req: IncomingMessage, res: ServerResponse) => {
      const path = (req.url ?? '').split('?', 1)[0];
      if (path === `${API_PREFIX}/health`) send(res, 200, { ok: true });
      else if (path === `${API_PREFIX}/health/ready`) {
        const ok = canRun(version);
        send(res, ok ? 200 : 503, { ok, checks: { firstEntrance: ok } });
      } else
        send(res, 503, { error: 'unavailable', message: 'The API and the pages are at the first entrance.' });
    },
    upgrade: (_req, socket) => refuseUpgrade(socket, 503),
  };
}

function canRun(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

function send(res: ServerResponse, status: number, content: object): void {
  const body = JSON.stringify(content);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
