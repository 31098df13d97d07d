import { SessionAdmission } from './admission.ts';
import { CommandCheck } from './command-check.ts';
import { CreateGate, type Probes } from './create.ts';
import type { GateCounts } from './gate.ts';
import type { RecordingGateOptions } from './gate-options.ts';
import type { GateParts } from './gate-parts.ts';
import { LoneCredentials } from './lone-credentials.ts';
import type { FromHub } from './nodes/from-hub.ts';
import { OpenSockets } from './open-sockets.ts';
import { GateRecords } from './records.ts';
import { CommandReport } from './report.ts';

/** Parts that only the gate in front of Appium has, and not the gate in front of a grid. */
interface OfAppium {
  /** Verifies requests from the hub of this node; null if this server is not a node. */
  readonly fromHub: FromHub | null;
  readonly probes: Probes;
}

/** The checks of a server that records sessions and refused requests, in front of Appium or of a grid. */
export interface RecordingChecks {
  readonly records: GateRecords;
  readonly admission: SessionAdmission;
  readonly create: CreateGate;
  readonly check: CommandCheck;
  /** Checks commands in report-only mode, in which no command is refused. Null in every other mode. */
  readonly commandReport: CommandReport | null;
  readonly openSockets: OpenSockets;
  readonly counts: GateCounts;
}

export function recordingChecks(
  options: RecordingGateOptions,
  parts: GateParts,
  ofAppium: OfAppium | null = null,
): RecordingChecks {
  const { lab, log, connections, reportOnlyStats } = options;
  const { sessions } = lab;
  const shared = { ...parts, ...ofAppium };
  const records = new GateRecords(options, parts);
  const { trail, report } = records;
  const admission = new SessionAdmission({
    ...shared,
    authenticator: options.authenticator,
    teams: options.stores.teams,
    credentialsRequired: options.requireSessionToken,
    queueSeconds: options.queueSeconds ?? 0,
    authDisabled: options.authDisabled,
  });
  const { authenticator, refusals, clock } = options;
  const { commandHeaders } = authenticator;
  const path = `${parts.targets.basePath}/session`;
  const create = new CreateGate({
    ...shared,
    loneCredentials: parts.checksCommands
      ? new LoneCredentials({ commandHeaders, refusals, log, clock, path })
      : null,
    records,
    admission,
    limits: { maxBytes: options.createMaxBytes, withinMs: parts.bodyMs },
    budget: options.createBudget,
    places: options.places,
    clock: options.clock,
    tracing: options.tracing ?? null,
  });
  const check = new CommandCheck({ ...shared, sessions, report, used: trail.used.bind(trail) });
  const openSockets = new OpenSockets({ ...parts, connections, sessions, log, trail });
  lab.onEnd(({ id }) => openSockets.sessionEnded(id));
  return {
    records,
    admission,
    create,
    check,
    commandReport:
      reportOnlyStats === null ? null : new CommandReport({ ...shared, reportOnlyStats, sessions, log }),
    openSockets,
    counts: { creates: admission.counts, commands: check.counts },
  };
}
