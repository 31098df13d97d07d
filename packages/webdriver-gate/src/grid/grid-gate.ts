import { AdmissionCounts } from '../admission.ts';
import { AttachGate } from '../attach/attach-gate.ts';
import { CallbackRefusals } from '../callbacks/callback-gate.ts';
import { CommandGate } from '../command.ts';
import { CommandCheck } from '../command-check.ts';
import { type Gate, gateOf } from '../gate.ts';
import type { GateOptions } from '../gate-options.ts';
import { type GateParts, gateParts } from '../gate-parts.ts';
import {
  type CreateTarget,
  forwardUnchecked,
  type Handler,
  type Handlers,
  refusing,
  toSite,
} from '../handlers.ts';
import { ListingGate } from '../listing.ts';
import { OpenSockets } from '../open-sockets.ts';
import { type RecordingChecks, recordingChecks } from '../recording-checks.ts';
import { type ReportRefusal, reportRefusals } from '../refusals.ts';
import { GateResponses } from '../responses.ts';
import { SocketGate } from '../sockets.ts';
import type { FurtherGateOptions, GridGateOptions } from './grid-gate-options.ts';
import { GridRoutes } from './grid-routes.ts';
import { GridTargets } from './grid-targets.ts';

/**
 * The parts of a grid's gate that differ between the first entrance (the server with the database, which keeps the
 * records) and further entrances.
 */
interface GridShape
  extends Pick<RecordingChecks, 'check' | 'commandReport' | 'openSockets' | 'counts'>,
    Pick<GridGateOptions, 'grid'>,
    Pick<FurtherGateOptions, 'sessions'> {
  readonly create: Handler<CreateTarget>;
  readonly report: ReportRefusal;
  readonly trail?: RecordingChecks['records']['trail'];
  /** Attach addresses, or null on a further entrance, which has none. */
  readonly attach: GridGateOptions['attach'] | null;
}

/**
 * Creates the gate, which checks WebDriver requests, for a server that has a database and forwards to a grid (the
 * "first entrance" of the grid). This server records the sessions.
 */
export function gridGate(options: GridGateOptions): Gate {
  const { grid, lab, attach } = options;
  const { sessions } = lab;
  const parts = gridParts(options, sessions);
  const checks = recordingChecks(options, parts);
  const { create, records } = checks;
  const { trail, report } = records;
  const handleCreate: Handler<CreateTarget> = (req, res, target) => void create.handle(req, res, target);
  return composed(options, parts, {
    ...checks,
    ...{ grid, sessions, create: handleCreate, report, trail, attach },
  });
}

/**
 * Creates the gate, which checks WebDriver requests, for a further entrance of a grid: a server without a database. It
 * forwards create-session requests to the first entrance, which records sessions.
 */
export function furtherGridGate(options: FurtherGateOptions): Gate {
  const { grid, sessions, creates, connections, log } = options;
  const parts = gridParts(options, sessions);
  const report = reportRefusals(parts);
  const check = new CommandCheck({ ...parts, sessions, report });
  return composed(options, parts, {
    grid,
    sessions,
    create: (req, res) => creates(req, res),
    check,
    commandReport: null,
    attach: null,
    report,
    openSockets: new OpenSockets({ ...parts, connections, sessions, log }),
    counts: { creates: new AdmissionCounts(), commands: check.counts },
  });
}

function gridParts(options: GateOptions, sessions: FurtherGateOptions['sessions']): GateParts {
  const targets = new GridTargets(options.basePath);
  return gateParts(options, { targets, responses: new GateResponses(false), sessions });
}

function composed(options: GateOptions, parts: GateParts, shape: GridShape): Gate {
  const handlers = gridHandlers(options, parts, shape);
  const { attach: addresses, ...others } = shape;
  const attached = new AttachGate({ ...parts, ...others, addresses, status: handlers.other });
  const sockets = new SocketGate({
    ...parts,
    ...shape,
    attached,
    isChecked: () => parts.checksCommands,
    idOf: ({ sessionId }) => sessionId,
    unchecked: 'pass',
  });
  const { site } = options;
  return gateOf(
    { ...shape, handlers: { ...handlers, attach: attached.handle.bind(attached) }, sockets, site },
    parts,
  );
}

function gridHandlers(
  { authDisabled, site }: GateOptions,
  parts: GateParts,
  { check, commandReport, create, grid, report, trail }: GridShape,
): Omit<Handlers, 'attach'> {
  const { forwarding, checksCommands, targets } = parts;
  const callbacks = new CallbackRefusals({ ...parts, report });
  const command = new CommandGate({ ...parts, check });
  const listing = new ListingGate({ ...parts, check });
  const { basePath } = targets;
  const routes = new GridRoutes({ ...parts, client: grid, basePath, check, ...(trail && { trail }) });
  const refused = refusing(parts);
  return {
    refused,
    site: toSite(site, parts),
    callback: (req, res, target) => callbacks.refuse(req, res, target),
    create: (req, res, target) => {
      if (req.method === 'POST') create(req, res, target);
      else forwarding.unread(req, res, target);
    },
    // Never called, because `GridTargets` refuses create-session requests with a wrong path.
    'misrouted create': refused,
    command: checksCommands
      ? (req, res, target) => command.handle(req, res, target)
      : forwardUnchecked(forwarding, commandReport),
    listing: checksCommands
      ? (req, res, target) => void listing.handle(req, res, target)
      : (req, res, target) => forwarding.unchecked(req, res, target),
    other: (req, res, target) => {
      const pass = (): void => forwarding.unread(req, res, target);
      if (authDisabled) pass();
      else void routes.handle(req, res, pass);
    },
  };
}
