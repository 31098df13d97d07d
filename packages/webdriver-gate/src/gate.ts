import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type {
  Authenticator,
  Caller,
  Clock,
  Config,
  Log,
  OpenConnections,
  RequestOrigin,
  Stores,
} from '@svc/auth-core';
import { CommandCallers, commandAuthMode } from '@svc/auth-core';
import type { DeviceLab, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import { type AccessAudit, AccessTrail, type SessionOwnership } from './access-trail.ts';
import { SessionAdmission } from './admission.ts';
import { BODY_MS, closeSlowBody } from './body.ts';
import { BoundedWarnings } from './bounded-warnings.ts';
import { CommandGate } from './command.ts';
import { CommandCheck } from './command-check.ts';
import { CreateGate, type Probes } from './create.ts';
import { CreateRefusals } from './create-refusals.ts';
import { hideBody, markAuthorized, prepare, type Upstream, unprovenIdempotencyKey } from './forward.ts';
import { ListingGate } from './listing.ts';
import { OpenSockets } from './open-sockets.ts';
import { reportRefusals } from './refusals.ts';
import { CommandReport } from './report.ts';
import { type GateOrigin, type OriginOf, originsBy } from './request-origin.ts';
import { GateResponses, UNAUTHENTICATED, UNVERIFIED, type WebDriverError } from './responses.ts';
import { type SocketDecision, SocketGate } from './sockets.ts';
import { type Target, Targets } from './target.ts';
import { guardSocket, leaveHttpOnceTaken, refuseUpgrade } from './upgrade-socket.ts';

type OtherTarget = Extract<Target, { kind: 'other' }>;

/** The settings the gate acts by. */
type GateSettings = Pick<
  Config,
  'authDisabled' | 'requireSessionToken' | 'requireCommandAuth' | 'commandAuthReportOnly'
>;

/** The other settings, secrets among them, have no business here: spreading all of `Config` in is a type error. */
type NoOtherSettings = { readonly [Name in Exclude<keyof Config, keyof GateSettings>]?: never };

export interface GateOptions extends GateSettings, NoOtherSettings {
  /** The automation server's `--base-path`. */
  readonly basePath: string;
  /** Whether it runs with `--allow-cors`. */
  readonly cors: boolean;
  /** Null unless commands are checked for the report only. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly refusals: RecentRefusals;
  /** The client's address as the service counts it. */
  readonly addressOf: (req: IncomingMessage) => string;
  /** How long the body of a create or public route may take; a minute when absent. */
  readonly bodyMs?: number;
  readonly authenticator: Authenticator;
  readonly audit: AccessAudit;
  readonly stores: Pick<Stores, 'teams'>;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly lab: DeviceLab;
  readonly clock: Clock;
  readonly log: Log;
  /** The automation server. */
  readonly upstream: Upstream;
  /** The service's own pages and API. */
  readonly site: Upstream;
}

/**
 * The front door of the automation server's HTTP server: sees every request and upgrade before anything else there.
 * Not told to check commands, it still takes the credentials out of every create.
 */
export class Gate {
  /** Per-command checks are in force: asked for, and sign-in is on (specification 5.7.9). */
  readonly checksCommands: boolean;
  readonly admission: SessionAdmission;
  readonly targets: Targets;
  /** Connections of the start-up check; the owner of this gate adds its own and nobody else's. */
  readonly probes: Probes = new WeakSet();
  readonly originOf: OriginOf;
  readonly #trail: AccessTrail;
  readonly #check: CommandCheck;
  readonly #bodyMs: number;
  readonly #createRefusals: CreateRefusals;
  readonly #responses: GateResponses;
  readonly #upstream: Upstream;
  readonly #site: Upstream;
  readonly #create: CreateGate;
  readonly #command: CommandGate;
  readonly #listing: ListingGate;
  readonly #sockets: SocketGate;
  readonly #openSockets: OpenSockets;
  readonly #report: CommandReport | null;
  readonly #knows: (sessionId: string) => boolean;

  constructor(options: GateOptions) {
    const { upstream, lab, log, authenticator, stores, authDisabled } = options;
    this.checksCommands = commandAuthMode(options) === 'on';
    this.targets = new Targets(options.basePath);
    this.admission = new SessionAdmission({
      authenticator,
      teams: stores.teams,
      log,
      credentialsRequired: options.requireSessionToken,
      authDisabled,
    });
    this.#responses = new GateResponses(options.cors);
    this.#upstream = upstream;
    this.#site = options.site;
    const responses = this.#responses;
    const callers = new CommandCallers(authenticator);
    const { sessions } = lab;
    const { targets } = this;
    const originOf = originsBy(options.addressOf);
    this.originOf = originOf;
    this.#knows = (sessionId) => sessions.ownerOf(sessionId) !== undefined;
    const { refusals } = options;
    const trail = new AccessTrail(options.audit);
    lab.onEnd(({ id }) => trail.forget(id));
    this.#trail = trail;
    const warnings = new BoundedWarnings(log, options.clock);
    this.#createRefusals = new CreateRefusals({ warnings, refusals, trail });
    const report = reportRefusals({ warnings, refusals, trail });
    const used = trail.used.bind(trail);
    const check = new CommandCheck({ callers, sessions, report, used, log });
    this.#check = check;
    const { bodyMs = BODY_MS } = options;
    this.#bodyMs = bodyMs;
    this.#create = new CreateGate({
      admission: this.admission,
      responses,
      upstream,
      log,
      originOf,
      bodyMs,
      failed: (error, from) => this.createFailed(error, null, from),
      probes: this.probes,
    });
    this.#command = new CommandGate({ check, responses, upstream, originOf });
    this.#listing = new ListingGate({ check, responses, upstream, originOf });
    this.#sockets = new SocketGate({ check, sessions, targets, originOf });
    this.#openSockets = new OpenSockets({ connections: options.connections, lab, log, trail });
    const { reportOnlyStats } = options;
    this.#report =
      reportOnlyStats === null
        ? null
        : new CommandReport({ reportOnlyStats, callers, sessions, targets, originOf, log });
  }

  /** A session was created. `owner.caller`: null when no credential came with the create. */
  sessionCreated(sessionId: string, owner: SessionOwnership, from: RequestOrigin): void {
    this.#trail.created(sessionId, owner, from);
  }

  /** A create was answered with an error, by the gate or behind it. */
  createFailed(error: WebDriverError, caller: Caller | null, from: GateOrigin): void {
    this.#createRefusals.record({ error, caller, from, path: `${this.targets.basePath}/session` });
  }

  /** A request, in the order: upgrade in disguise, then what its target is. */
  readonly request = (req: IncomingMessage, res: ServerResponse): void => {
    if (isWebSocketUpgrade(req)) this.#disguisedUpgrade(req, res);
    else this.#route(req, res);
  };

  #route(req: IncomingMessage, res: ServerResponse): void {
    const target = this.targets.classify(req.url ?? '');
    switch (target.kind) {
      case 'refused':
        this.#responses.badTarget(res, this.originOf(req).requestId);
        break;
      case 'site':
        if (req.url !== target.url) req.url = target.url;
        // Over HTTP/2 the connection is not this request's alone.
        if (PUBLIC_BODY.test(target.url) && req.httpVersionMajor === 1 && mayHaveBody(req))
          closeSlowBody(req, this.#bodyMs);
        this.#site.request(req, res);
        break;
      case 'create':
      case 'misrouted create':
        if (req.method === 'POST') void this.#create.handle(req, res, target);
        else this.#passUnread(req, res, target);
        break;
      case 'command':
        // Appium answers every OPTIONS itself, before any route.
        if (req.method === 'OPTIONS') this.#pass(req, res, target);
        else if (this.checksCommands) this.#command.handle(req, res, target);
        else this.#passLooking(this.#report?.command(req, target.sessionId), req, res, target);
        break;
      case 'listing':
        if (this.checksCommands) void this.#listing.handle(req, res, target);
        else this.#pass(req, res, target);
        break;
      case 'other':
        if (this.checksCommands && !this.#isPublic(req, target.url)) void this.#driverRoute(req, res, target);
        else this.#passUnread(req, res, target);
        break;
    }
  }

  /** Appium's own status and preflights, and sockets without a session (specification 5.7.7). */
  #isPublic(req: IncomingMessage, url: string): boolean {
    const { basePath } = this.targets;
    const path = url.split('?', 1)[0] as string;
    if (req.method === 'OPTIONS' || path === '/' || path === `${basePath}/status`) return true;
    return isWebSocketUpgrade(req) && (path === `${basePath}/bidi` || path.toLowerCase().startsWith('/ws/'));
  }

  /** What drivers and plugins offer outside a session is for those with any valid credential. */
  async #driverRoute(req: IncomingMessage, res: ServerResponse, target: OtherTarget): Promise<void> {
    const from = this.originOf(req);
    const caller = await this.#check.callerOf(req, from);
    if (res.destroyed) return;
    if (caller === 'unverified') {
      this.#responses.error(req, res, UNVERIFIED, from.requestId);
    } else if (caller === null) {
      const reason = 'no valid credentials';
      this.#trail.refused({ from, route: 'driver route', actor: null, sessionId: null, reason });
      if (isWebSocketUpgrade(req)) this.#responses.bare(res, 404);
      else this.#responses.error(req, res, UNAUTHENTICATED, from.requestId);
    } else {
      this.#passUnread(req, res, target);
    }
  }

  /** Nothing is refused; the report looks at it first. */
  #passLooking(
    looking: Promise<void> | undefined,
    req: IncomingMessage,
    res: ServerResponse,
    target: Exclude<Target, { kind: 'refused' }>,
  ): void {
    if (looking === undefined) this.#pass(req, res, target);
    else void looking.then(() => !res.destroyed && this.#pass(req, res, target));
  }

  #passUnread(req: IncomingMessage, res: ServerResponse, target: Exclude<Target, { kind: 'refused' }>): void {
    if (mayHaveBody(req)) hideBody(req);
    this.#pass(req, res, target);
  }

  #pass(req: IncomingMessage, res: ServerResponse, target: Exclude<Target, { kind: 'refused' }>): void {
    unprovenIdempotencyKey(req);
    prepare(req, target.url);
    markAuthorized(req, target);
    this.#upstream.request(req, res);
  }

  /** An upgrade as Node releases with `shouldUpgradeCallback` deliver it. */
  readonly upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const release = guardSocket(socket);
    this.#decideSocket(req, (decision) => {
      if (socket.destroyed) return;
      if (decision.kind === 'refuse') {
        refuseUpgrade(socket, decision.status);
        return;
      }
      release();
      if (decision.kind === 'site') {
        req.url = decision.url;
        this.#site.upgrade(req, socket, head);
      } else {
        if (decision.kind === 'pass') this.#openSockets.add(socket, decision.admitted);
        prepare(req, decision.url);
        this.#upstream.upgrade(req, socket, head);
      }
    });
  };

  /** An upgrade as older Node releases deliver it: an ordinary request that must not be answered twice. */
  #disguisedUpgrade(req: IncomingMessage, res: ServerResponse): void {
    this.#decideSocket(req, (decision) => {
      if (res.destroyed) return;
      if (decision.kind !== 'refuse') leaveHttpOnceTaken(req, res);
      switch (decision.kind) {
        case 'refuse':
          this.#responses.bare(res, decision.status);
          break;
        case 'site':
          // Behind an answer that is still under way there is no socket to take over yet.
          if (res.socket === null) {
            this.#responses.bare(res, 404);
            break;
          }
          req.url = decision.url;
          res.detachSocket(req.socket);
          this.#site.upgrade(req, req.socket, Buffer.alloc(0));
          break;
        case 'pass':
          // Answered like any request, it has become no WebSocket.
          res.once('finish', this.#openSockets.add(req.socket, decision.admitted));
          prepare(req, decision.url);
          this.#upstream.request(req, res);
          break;
        case 'not ours':
          req.url = decision.url;
          this.#route(req, res);
          break;
      }
    });
  }

  #decideSocket(req: IncomingMessage, act: (decision: SocketDecision) => void): void {
    const looking = this.#report?.socket(req);
    const decision = this.checksCommands ? this.#sockets.decide(req) : this.#uncheckedSocket(req);
    if (looking !== undefined) void looking.then(() => act(this.#uncheckedSocket(req)));
    else if (decision instanceof Promise) void decision.then(act);
    else act(decision);
  }

  /** Also unchecked, Appium sees no BiDi socket of a session it does not know: a wrong frame on it ends Appium. */
  #uncheckedSocket(req: IncomingMessage): SocketDecision {
    const target = this.targets.classifySocket(req.url ?? '');
    if (target.kind === 'site') return { kind: 'site', url: target.url };
    const isUnknown = target.kind === 'session' && target.bidi && !this.#knows(target.sessionId);
    return target.kind === 'refused' || isUnknown
      ? { kind: 'refuse', status: 404 }
      : { kind: 'not ours', url: target.url };
  }
}

/** The routes of the API that strangers may send a body to. */
const PUBLIC_BODY = /^\/svc\/api\/auth\//;

function mayHaveBody({ headers, httpVersionMajor }: IncomingMessage): boolean {
  // HTTP/2 frames a body without either header.
  if (httpVersionMajor > 1) return true;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() === 'websocket';
}
