import { CommandCallers, commandAuthMode } from '@svc/auth-core';
import type { DriverSessions } from '@svc/device-lab';
import { type BoundedLines, failureLines, refusalLines } from '@svc/module';
import { AccessLines } from './access-lines.ts';
import { BODY_MS } from './body.ts';
import { Forwarding } from './forward.ts';
import type { GateOptions } from './gate-options.ts';
import { type OriginOf, originsBy } from './request-origin.ts';
import type { GateResponses } from './responses.ts';
import type { Targets } from './target.ts';
import { traced } from './tracing.ts';

/** Parts that every gate consists of, whether it checks the requests for Appium or for a grid. */
export interface GateParts {
  /** Whether commands are checked, which requires that sign-in is on too (specification 5.7.9). */
  readonly checksCommands: boolean;
  readonly targets: Targets;
  readonly originOf: OriginOf;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly callers: CommandCallers;
  readonly warnings: BoundedLines;
  readonly failures: BoundedLines;
  /** Logs each request; null if requests are not logged. */
  readonly accessLines: AccessLines | null;
  /**
   * Time (ms) within which the body of a create-session request, or of a request that needs no credentials, must
   * arrive.
   */
  readonly bodyMs: number;
}

interface OfShape {
  readonly targets: Targets;
  readonly responses: GateResponses;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
}

export function gateParts(options: GateOptions, { targets, responses, sessions }: OfShape): GateParts {
  const { authenticator, log, clock, tracing, bodyMs = BODY_MS } = options;
  const { basePath } = targets;
  const upstream =
    tracing == null ? options.upstream : traced(options.upstream, { tracing, sessions, basePath });
  return {
    checksCommands: commandAuthMode(options) === 'on',
    targets,
    originOf: originsBy(options.clients),
    responses,
    forwarding: new Forwarding(upstream, authenticator.commandHeaders),
    callers: new CommandCallers(authenticator),
    warnings: refusalLines(log, clock),
    failures: failureLines(log, clock),
    accessLines: options.logsAccess === true ? new AccessLines(log, clock) : null,
    bodyMs,
  };
}
