import { commandAuthMode, Refusal } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import type { RecentRefusals, Refused } from './recent-refusals.ts';
import type { ReportLine, ReportOnlyStats } from './report-only-stats.ts';

interface Tools {
  readonly refusals: RecentRefusals;
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly config: Parameters<typeof commandAuthMode>[0];
}

/**
 * Handlers that report which commands the command check would have refused in report-only mode, and that explain why a
 * request was refused.
 */
export function refusalHandlers({ refusals, reportOnlyStats, config }: Tools): Handlers {
  const mode = commandAuthMode(config);
  return {
    commandAuthReport: () => ({
      mode,
      since: instant(reportOnlyStats?.since ?? null),
      checked: reportOnlyStats?.checked ?? 0,
      wouldRefuse: reportOnlyStats?.refused ?? 0,
      notKept: reportOnlyStats?.notKept ?? 0,
      clients: (reportOnlyStats?.lines() ?? []).map(describe).sort((a, b) => b.wouldRefuse - a.wouldRefuse),
    }),
    explain: ({ params }) => {
      const [newest, ...earlier] = refusals.explain(params.requestId).map(describeRefusal);
      if (newest === undefined) throw new Refusal('not_found', 'no refusal with this id is stored');
      return { ...newest, ...(earlier.length === 0 ? {} : { earlier }) };
    },
  };
}

function describeRefusal(refused: Refused) {
  return { ...refused, at: instant(refused.at) };
}

function describe({ address, userAgent, sessionId, reasons, firstAt, lastAt }: ReportLine) {
  const counts = [...reasons].map(([reason, count]) => ({ reason, count }));
  return {
    address,
    userAgent,
    session: sessionId,
    wouldRefuse: counts.reduce((sum, { count }) => sum + count, 0),
    reasons: counts,
    firstAt: instant(firstAt),
    lastAt: instant(lastAt),
  };
}
