import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller, RequestOrigin } from '@svc/auth-core';
import { CommandCallers, commandAuthMode, failureLines, refusalLines } from '@svc/auth-core';
import type { Admission } from '@svc/device-lab';
import { AccessLines } from './access-lines.ts';
import { AccessTrail, type SessionOwnership } from './access-trail.ts';
import { type AdmissionCounts, SessionAdmission } from './admission.ts';
import { BODY_MS, closeSlowBody, mayHaveBody } from './body.ts';
import { CallbackGate } from './callbacks/callback-gate.ts';
import { CommandGate } from './command.ts';
import { type CheckCounts, CommandCheck } from './command-check.ts';
import { CreateGate, type Probes } from './create.ts';
import { CreateRefusals } from './create-refusals.ts';
import { DriverRoutes, type OutsideSessions } from './driver-routes.ts';
import { Forwarding, hideBody, type PassedTarget, type Upstream } from './forward.ts';
import type { GateOptions } from './gate-options.ts';
import { GridRoutes } from './grid/grid-routes.ts';
import { GridTargets } from './grid/grid-targets.ts';
import { ListingGate } from './listing.ts';
import { FromHub } from './nodes/from-hub.ts';
import { OpenSockets } from './open-sockets.ts';
import { reportRefusals } from './refusals.ts';
import { CommandReport } from './report.ts';
import { type GateOrigin, type OriginOf, originsBy } from './request-origin.ts';
import { GateResponses, type WebDriverError } from './responses.ts';
import { SocketGate } from './sockets.ts';
import { Targets } from './target.ts';
import { type RequestTracing, traced } from './tracing.ts';
import { UnprovenBodies } from './unproven-bodies.ts';
import { isWebSocketUpgrade } from './upgrade-socket.ts';
import { Upgrades } from './upgrades.ts';

/** How requests were decided since the start, in plain numbers. */
export interface GateCounts {
  readonly creates: Readonly<AdmissionCounts>;
  readonly commands: Readonly<CheckCounts>;
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
  /** How creates and commands were decided so far. */
  readonly counts: GateCounts;
  readonly #fromHub: FromHub | null;
  readonly #trail: AccessTrail;
  readonly #bodyMs: number;
  readonly #createRefusals: CreateRefusals;
  readonly #responses: GateResponses;
  readonly #forwarding: Forwarding;
  readonly #site: Upstream;
  readonly #callback: CallbackGate;
  readonly #create: CreateGate;
  readonly #command: CommandGate;
  readonly #listing: ListingGate;
  /** Null: everybody has what is outside sessions, as commands are not checked. */
  readonly #outside: OutsideSessions | null;
  readonly #isGrid: boolean;
  readonly #creates: Upstream['request'] | null;
  readonly #tracing: RequestTracing | null;
  readonly #upgrades: Upgrades;
  readonly #report: CommandReport | null;
  /** Null if commands are not checked, because anyone may send any body then, or if a grid is behind this gate. */
  readonly #unprovenBodies: UnprovenBodies | null;
  /** Null: not logged. */
  readonly #accessLines: AccessLines | null;

  constructor(options: GateOptions) {
    const { lab, log, clock, authenticator, stores, refusals, reportOnlyStats, bodyMs = BODY_MS } = options;
    const { sessions } = lab;
    this.checksCommands = commandAuthMode(options) === 'on';
    const { grid = null } = options;
    this.#isGrid = grid !== null;
    const tracing = options.tracing ?? null;
    this.#tracing = tracing;
    this.#creates = options.creates ?? null;
    const fromHub = options.fromHub == null ? null : new FromHub(options.fromHub);
    this.#fromHub = fromHub;
    this.targets = grid === null ? new Targets(options.basePath) : new GridTargets(options.basePath);
    this.originOf = originsBy(options.addressOf, options.isAddressVerified);
    const warnings = refusalLines(log, clock);
    const failures = failureLines(log, clock);
    this.admission = new SessionAdmission({
      authenticator,
      teams: stores.teams,
      warnings,
      failures,
      credentialsRequired: options.requireSessionToken,
      authDisabled: options.authDisabled,
      fromHub,
    });
    this.#bodyMs = bodyMs;
    this.#accessLines = options.logsAccess === true ? new AccessLines(log, clock) : null;
    this.#site = options.site;
    this.#responses = new GateResponses(options.cors);
    const { targets, originOf, checksCommands } = this;
    const { basePath } = targets;
    const upstream =
      tracing === null ? options.upstream : traced(options.upstream, { tracing, sessions, basePath });
    this.#forwarding = new Forwarding(upstream, authenticator.commandHeaders);
    const shared = { responses: this.#responses, forwarding: this.#forwarding, originOf };
    const limits = { maxBytes: options.createMaxBytes, withinMs: bodyMs };
    const unprovenBodies = checksCommands && grid === null ? new UnprovenBodies({ ...shared, limits }) : null;
    this.#unprovenBodies = unprovenBodies;

    const trail = new AccessTrail(options.audit);
    lab.onEnd(({ id }) => trail.forget(id));
    this.#trail = trail;
    this.#createRefusals = new CreateRefusals({ warnings, refusals, trail });
    this.#create = new CreateGate({
      ...shared,
      admission: this.admission,
      failures,
      limits,
      budget: options.createBudget,
      failed: (error, from, caller = null) => this.createFailed(error, caller, from),
      created: (id, owner, from) => this.sessionCreated(id, owner, from),
      places: options.places ?? null,
      probes: this.probes,
      fromHub,
      tracing,
    });

    const callers = new CommandCallers(authenticator);
    const report = reportRefusals({ warnings, refusals, trail });
    this.#callback = new CallbackGate({ ...shared, addresses: options.callbacks ?? null, targets, report });
    const check = new CommandCheck({
      callers,
      sessions,
      report,
      fromHub,
      used: trail.used.bind(trail),
      failures,
    });
    this.counts = { creates: this.admission.counts, commands: check.counts };
    this.#command = new CommandGate({ ...shared, check });
    this.#listing = new ListingGate({ ...shared, check, unprovenBodies });
    const openSockets = new OpenSockets({ connections: options.connections, lab, log, trail, warnings });
    const outside = { ...shared, check, trail, openSockets, basePath };
    if (grid !== null)
      this.#outside = new GridRoutes({ ...outside, client: grid, authDisabled: options.authDisabled });
    else this.#outside = checksCommands ? new DriverRoutes(outside) : null;
    this.#report =
      reportOnlyStats === null
        ? null
        : new CommandReport({
            reportOnlyStats,
            callers,
            sessions,
            targets,
            originOf,
            fromHub,
            log,
            failures,
          });
    this.#upgrades = new Upgrades({
      ...shared,
      sockets: new SocketGate({
        check,
        isChecked: (sessionId) => checksCommands || fromHub?.guards(sessionId) === true,
        report: this.#report,
        fromHub,
        sessions,
        targets,
        originOf,
        socketsOnly: this.#isGrid,
      }),
      openSockets,
      outside: this.#outside,
      site: options.site,
      route: (req, res) => this.#route(req, res),
    });
  }

  /** A session was created that came through the hub of this node. */
  sessionCreatedForHub(sessionId: string, fromHub: NonNullable<Admission['fromHub']>): void {
    this.#fromHub?.add(sessionId, fromHub);
  }

  /** Whether only the hub of this node is told of the session. */
  isHubs(sessionId: string): boolean {
    return this.#fromHub?.guards(sessionId) === true;
  }

  /** A session was created. `owner.caller`: null when no credential came with the create. */
  sessionCreated(sessionId: string, owner: SessionOwnership, from: RequestOrigin): void {
    this.#trail.created(sessionId, owner, from);
    this.#tracing?.created(from, sessionId);
  }

  /** A create was answered with an error, by the gate or behind it. */
  createFailed(error: WebDriverError, caller: Caller | null, from: GateOrigin): void {
    this.#createRefusals.record({ error, caller, from, path: `${this.targets.basePath}/session` });
  }

  /** A request, in the order: upgrade in disguise, then what its target is. */
  readonly request = (req: IncomingMessage, res: ServerResponse): void => {
    if (isWebSocketUpgrade(req)) {
      this.#accessLines?.upgrade(req, req.socket);
      this.#upgrades.handleDisguised(req, res);
    } else this.#route(req, res);
  };

  #route(req: IncomingMessage, res: ServerResponse): void {
    const target = this.targets.classify(req.url ?? '');
    // The service's own pages and API log theirs.
    if (this.#accessLines !== null && target.kind !== 'site') this.#accessLines.request(req, res);
    switch (target.kind) {
      case 'refused':
        this.#responses.badTarget(res, this.originOf(req).requestId);
        break;
      case 'site':
        if (req.url !== target.url) req.url = target.url;
        if (PUBLIC_BODY.test(target.url) && mayHaveBody(req)) closeSlowBody(req, res, this.#bodyMs);
        this.#site.request(req, res);
        break;
      case 'callback':
        this.#callback.handle(req, res, target);
        break;
      case 'create':
      case 'misrouted create':
        if (req.method === 'POST' && this.#creates !== null) this.#creates(req, res);
        else if (req.method === 'POST') void this.#create.handle(req, res, target);
        else this.#passPublic(req, res, target);
        break;
      case 'command':
        // Appium answers every OPTIONS itself, before any route.
        if (req.method === 'OPTIONS' && !this.#isGrid) this.#passPublic(req, res, target);
        else if (this.checksCommands || this.#fromHub?.guards(target.sessionId) === true)
          this.#command.handle(req, res, target);
        else {
          this.#fromHub?.recognize(req, target.sessionId);
          this.#passLooking(this.#report?.command(req, target.sessionId), req, res, target);
        }
        break;
      case 'listing':
        if (this.checksCommands) void this.#listing.handle(req, res, target);
        else this.#forwarding.unproven(req, res, target);
        break;
      case 'other':
        if (this.#outside === null || this.#outside.isPublic(req, target.url))
          this.#passPublic(req, res, target);
        else if (target.sessionId !== undefined && !this.#isGrid) {
          if (mayHaveBody(req)) hideBody(req);
          this.#command.handle(req, res, target);
        } else void this.#outside.handle(req, res, () => this.#passUnread(req, res, target));
        break;
    }
  }

  /** Nothing is refused; the report looks at it first. */
  #passLooking(
    looking: Promise<void> | undefined,
    req: IncomingMessage,
    res: ServerResponse,
    target: PassedTarget,
  ): void {
    if (looking === undefined) this.#forwarding.unproven(req, res, target);
    else void looking.then(() => !res.destroyed && this.#forwarding.unproven(req, res, target));
  }

  /** Any client may send it. */
  #passPublic(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    const pass = (): void => this.#passUnread(req, res, target);
    if (this.#unprovenBodies === null) pass();
    else this.#unprovenBodies.discard(req, res, pass);
  }

  #passUnread(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    if (mayHaveBody(req)) hideBody(req);
    this.#forwarding.unproven(req, res, target);
  }

  /** An upgrade as Node releases with `shouldUpgradeCallback` deliver it. */
  readonly upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.#accessLines?.upgrade(req, socket);
    this.#upgrades.handle(req, socket, head);
  };
}

/** The routes of the API that strangers may send a body to. */
const PUBLIC_BODY = /^\/svc\/api\/auth\//;
