import type { Clock, commandAuthMode } from '@svc/auth-core';
import type { Module } from '@svc/module';
import { refusalHandlers } from './handlers.ts';
import { RecentRefusals } from './recent-refusals.ts';
import { ReportOnlyStats } from './report-only-stats.ts';

export interface Refusals {
  /** The recent refusals with their reasons, which Admins can look up. */
  readonly refusals: RecentRefusals;
  /** Counts of the commands that would have been refused, or null unless the command check is in report-only mode. */
  readonly reportOnlyStats: ReportOnlyStats | null;
}

interface Needs {
  readonly config: Parameters<typeof commandAuthMode>[0];
  readonly clock: Clock;
}

/** Opens the memory of refused requests and commands. */
export function openRefusals({ config, clock }: Needs): Module<Refusals> {
  const isReported = config.commandAuthReportOnly && !config.authDisabled;
  const offers = {
    refusals: new RecentRefusals(clock),
    reportOnlyStats: isReported ? new ReportOnlyStats(clock) : null,
  };
  return {
    offers,
    handlers: refusalHandlers({ ...offers, config }),
    schedules: [],
    metrics: [],
    close: async () => undefined,
  };
}
