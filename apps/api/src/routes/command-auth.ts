import { ADMIN, commandAuthMode, Refusal } from '@svc/auth-core';
import { CommandAuthReport, ExplainParams, ExplainResponse } from '@svc/contract';
import type { ReportLine } from '@svc/device-lab';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** Switching the command check on without fear: what it would refuse, and why something was refused. */
export function commandAuthRoutes(api: App, { services }: HttpContext): void {
  const { reportOnlyStats, refusals } = services;
  const config = { access: ADMIN };
  const mode = commandAuthMode(services.config);

  api.get('/command-auth/report', { config, schema: { response: { 200: CommandAuthReport } } }, async () => ({
    mode,
    since: instant(reportOnlyStats?.since ?? null),
    checked: reportOnlyStats?.checked ?? 0,
    wouldRefuse: reportOnlyStats?.refused ?? 0,
    notKept: reportOnlyStats?.notKept ?? 0,
    clients: (reportOnlyStats?.lines() ?? []).map(describe).sort((a, b) => b.wouldRefuse - a.wouldRefuse),
  }));

  api.get(
    '/explain/:requestId',
    { config, schema: { params: ExplainParams, response: { 200: ExplainResponse } } },
    async ({ params }) => {
      const { requestId } = params;
      const known = refusals.explain(requestId);
      if (known.length === 0) throw new Refusal('not_found', 'no such refusal is remembered');
      return { requestId, refusals: known.map((refused) => ({ ...refused, at: instant(refused.at) })) };
    },
  );
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
