import { commandAuthMode, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { Refused, ReportLine } from '@svc/device-lab';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers the route that reports which commands the command check would have refused in report-only mode, and the
 * route that explains why a request was refused.
 */
export function commandAuthRoutes(api: App, { services }: HttpContext): void {
  const { reportOnlyStats, refusals } = services;
  const mode = commandAuthMode(services.config);

  handle(api, routes.commandAuthReport, () => ({
    mode,
    since: instant(reportOnlyStats?.since ?? null),
    checked: reportOnlyStats?.checked ?? 0,
    wouldRefuse: reportOnlyStats?.refused ?? 0,
    notKept: reportOnlyStats?.notKept ?? 0,
    clients: (reportOnlyStats?.lines() ?? []).map(describe).sort((a, b) => b.wouldRefuse - a.wouldRefuse),
  }));

  handle(api, routes.explain, ({ params }) => {
    const [newest, ...earlier] = refusals.explain(params.requestId).map(describeRefusal);
    if (newest === undefined) throw new Refusal('not_found', 'no refusal with this id is stored');
    return { ...newest, ...(earlier.length === 0 ? {} : { earlier }) };
  });
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
