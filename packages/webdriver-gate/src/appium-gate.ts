import type { Admission } from '@svc/device-lab';
import type { SessionAdmission } from './admission.ts';
import { AttachGate } from './attach/attach-gate.ts';
import { mayHaveBody } from './body.ts';
import { CallbackGate } from './callbacks/callback-gate.ts';
import { CommandGate } from './command.ts';
import type { Probes } from './create.ts';
import { DriverRoutes } from './driver-routes.ts';
import { hideBody, type PassedTarget } from './forward.ts';
import { type Gate, gateOf } from './gate.ts';
import type { AppiumGateOptions } from './gate-options.ts';
import { type GateParts, gateParts } from './gate-parts.ts';
import {
  type CreateTarget,
  forwardUnchecked,
  type Handler,
  type Handlers,
  refusing,
  toSite,
} from './handlers.ts';
import { ListingGate } from './listing.ts';
import { FromHub } from './nodes/from-hub.ts';
import { type RecordingChecks, recordingChecks } from './recording-checks.ts';
import type { GateRecords } from './records.ts';
import type { OriginOf } from './request-origin.ts';
import { GateResponses } from './responses.ts';
import { SocketGate } from './sockets.ts';
import { StorageRoutes } from './storage-routes.ts';
import { Targets } from './target.ts';
import { UnauthenticatedBodies } from './unauthenticated-bodies.ts';

/**
 * The gate (which checks each WebDriver request) in front of an Appium server, with the parts that the hooks of the
 * Appium plugin use.
 */
export interface AppiumGate extends Gate, Pick<GateRecords, 'sessionCreated' | 'createFailed'> {
  readonly admission: SessionAdmission;
  readonly targets: Targets;
  /**
   * Connections that the plugin opens to its own server for the start-up check. A create-session request on one of
   * these connections needs no credentials.
   */
  readonly probes: Probes;
  readonly originOf: OriginOf;
  /** Records a session whose create-session request came through the hub of this node. */
  sessionCreatedForHub(sessionId: string, fromHub: NonNullable<Admission['fromHub']>): void;
  /**
   * Returns whether the hub of this node checks the commands of the session. A node that does not check commands itself
   * leaves such sessions out of its session list, because only the hub may give access to them (contract 8.3).
   */
  isGuardedByHub(sessionId: string): boolean;
}

/** Parts that a gate in front of Appium is composed of. */
interface AppiumParts extends GateParts, RecordingChecks {
  readonly fromHub: FromHub | null;
  readonly probes: Probes;
  readonly command: CommandGate;
}

/** Creates the gate in front of an Appium server, which may be a hub, a node, or neither. */
export function appiumGate(options: AppiumGateOptions): AppiumGate {
  const parts = appiumParts(options);
  const { fromHub, records, checksCommands } = parts;
  const outside = checksCommands ? driverRoutes(options, parts) : null;
  const handlers =
    outside === null ? uncheckedHandlers(options, parts) : checkedHandlers(options, parts, outside);
  const attached = attachGate(options, parts, handlers);
  const sockets = socketGate(options, parts, attached);
  return {
    ...gateOf(
      {
        ...parts,
        handlers: { ...handlers, attach: attached.handle.bind(attached) },
        sockets,
        outside,
        site: options.site,
      },
      parts,
    ),
    admission: parts.admission,
    targets: parts.targets,
    probes: parts.probes,
    originOf: parts.originOf,
    sessionCreated: records.sessionCreated.bind(records),
    createFailed: records.createFailed.bind(records),
    sessionCreatedForHub: (id, admitted) => fromHub?.add(id, admitted),
    isGuardedByHub: (id) => fromHub?.isGuarded(id) === true,
  };
}

function appiumParts(options: AppiumGateOptions): AppiumParts {
  const responses = new GateResponses(options.cors);
  const { sessions } = options.lab;
  const parts = gateParts(options, { targets: new Targets(options.basePath), responses, sessions });
  const fromHub = options.fromHub === null ? null : new FromHub(options.fromHub);
  const ofAppium = { fromHub, probes: new WeakSet() };
  const checks = recordingChecks(options, parts, ofAppium);
  const command = new CommandGate({ ...parts, check: checks.check });
  return { ...parts, ...checks, ...ofAppium, command };
}

function driverRoutes(options: AppiumGateOptions, parts: AppiumParts): DriverRoutes {
  const { basePath } = parts.targets;
  const limits = { maxBytes: options.createMaxBytes, withinMs: parts.bodyMs };
  const storage = new StorageRoutes({ basePath, clock: options.clock, limits, budget: options.createBudget });
  return new DriverRoutes({ ...parts, basePath, trail: parts.records.trail, storage });
}

type Pass = Handler<PassedTarget>;
type WithoutAttach = Omit<Handlers, 'attach'>;

/** Returns the handlers for a server that checks commands. */
function checkedHandlers(
  options: AppiumGateOptions,
  parts: AppiumParts,
  outside: DriverRoutes,
): WithoutAttach {
  const { forwarding, command, bodyMs } = parts;
  const limits = { maxBytes: options.createMaxBytes, withinMs: bodyMs };
  const unauthenticatedBodies = new UnauthenticatedBodies({ ...parts, limits });
  const listing = new ListingGate({ ...parts, unauthenticatedBodies });
  const passPublic: Pass = (req, res, target) =>
    unauthenticatedBodies.discard(req, res, () => forwarding.unread(req, res, target));
  return {
    ...commonHandlers(options, parts, passPublic),
    command: (req, res, target) => {
      // Forward the request without a check. With --allow-cors, Appium responds to every OPTIONS request before it
      // looks for a route, and browsers send their preflight requests without credentials.
      if (req.method === 'OPTIONS' && options.cors) passPublic(req, res, target);
      else command.handle(req, res, target);
    },
    listing: (req, res, target) => void listing.handle(req, res, target),
    other: (req, res, target) => {
      if (outside.isPublic(req, target.url)) passPublic(req, res, target);
      else if (target.sessionId !== undefined) {
        if (mayHaveBody(req)) hideBody(req);
        command.handle(req, res, target);
      } else void outside.handle(req, res, target.url, () => forwarding.unread(req, res, target));
    },
  };
}

/**
 * Returns the handlers for a server that does not check commands. An exception are sessions that were created through a
 * hub: if the hub checks commands, this server also checks the commands of these sessions.
 */
function uncheckedHandlers(options: AppiumGateOptions, parts: AppiumParts): WithoutAttach {
  const { forwarding, command, commandReport, fromHub } = parts;
  const pass: Pass = (req, res, target) => forwarding.unread(req, res, target);
  const forward = forwardUnchecked(forwarding, commandReport);
  return {
    ...commonHandlers(options, parts, pass),
    command: (req, res, target) => {
      if (req.method === 'OPTIONS') pass(req, res, target);
      else if (fromHub?.isGuarded(target.sessionId) === true) command.handle(req, res, target);
      else {
        fromHub?.recognize(req, target.sessionId);
        forward(req, res, target);
      }
    },
    listing: (req, res, target) => forwarding.unchecked(req, res, target),
    other: pass,
  };
}

/**
 * Returns the handlers that do not depend on whether commands are checked. `passPublic` forwards requests that need no
 * credentials.
 */
function commonHandlers(
  options: AppiumGateOptions,
  parts: AppiumParts,
  passPublic: Pass,
): Omit<WithoutAttach, 'command' | 'listing' | 'other'> {
  const { create, records } = parts;
  const callback = new CallbackGate({ ...parts, addresses: options.callbacks, report: records.report });
  const createOrPass: Handler<CreateTarget> = (req, res, target) => {
    if (req.method === 'POST') void create.handle(req, res, target);
    else passPublic(req, res, target);
  };
  return {
    refused: refusing(parts),
    site: toSite(options.site, parts),
    callback: (req, res, target) => callback.handle(req, res, target),
    create: createOrPass,
    'misrouted create': createOrPass,
  };
}

function attachGate(
  { attach: addresses }: AppiumGateOptions,
  parts: AppiumParts,
  { other: status }: Pick<Handlers, 'other'>,
): AttachGate {
  const { trail, report } = parts.records;
  return new AttachGate({ ...parts, addresses, trail, report, status });
}

function socketGate(
  { lab: { sessions } }: AppiumGateOptions,
  parts: AppiumParts,
  attached: AttachGate,
): SocketGate {
  const { checksCommands, fromHub } = parts;
  return new SocketGate({
    ...parts,
    sessions,
    attached,
    isChecked: (sessionId) => checksCommands || fromHub?.isGuarded(sessionId) === true,
    // For log sockets, Appium ignores the letter case of the session id, so find the id in its original case. For BiDi
    // sockets, Appium compares the id exactly.
    idOf: ({ sessionId, bidi }) => (bidi ? sessionId : (sessions.findIgnoringCase(sessionId) ?? sessionId)),
    unchecked: 'undecided',
  });
}
