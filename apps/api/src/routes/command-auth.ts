import { ADMIN, commandAuthMode, Refusal } from '@svc/auth-core';
import { CommandAuthReport, ExplainAnswer, ExplainParams } from '@svc/contract';
import type { ReportLine } from '@svc/device-lab';
import type { App, Host } from '../host.ts';
import { instant } from '../wire.ts';

/** Switching the command check on without fear: what it would refuse, and why something was refused. */
export function commandAuthRoutes(api: App, { deps }: Host): void {
  const { wouldRefuse, refusals } = deps;
  const config = { access: ADMIN };
  const mode = commandAuthMode(deps.config);

  api.get('/command-auth/report', { config, schema: { response: { 200: CommandAuthReport } } }, async () => ({
    mode,
    since: instant(wouldRefuse?.since ?? null),
    checked: wouldRefuse?.checked ?? 0,
    wouldRefuse: wouldRefuse?.refused ?? 0,
    notKept: wouldRefuse?.notKept ?? 0,
    clients: (wouldRefuse?.lines() ?? []).map(describe).sort((a, b) => b.wouldRefuse - a.wouldRefuse),
  }));

  api.get(
    '/explain/:requestId',
    { config, schema: { params: ExplainParams, response: { 200: ExplainAnswer } } },
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
