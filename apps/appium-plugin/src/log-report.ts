import type { Services } from '@svc/api';

/**
 * Logs what the command check would have refused: for each session when it ends, and for all commands when the server
 * stops. Does nothing unless the command check only reports (`SVC_COMMAND_AUTH_REPORT_ONLY`).
 */
export function logReport({ modules, log, config }: Services): { stop(): void } {
  const { reportOnlyStats } = modules.refusals.offers;
  if (reportOnlyStats === null) return { stop: () => undefined };
  const weakened = config.requireCommandAuth
    ? ' SVC_REQUIRE_COMMAND_AUTH has no effect while it is set.'
    : '';
  log.warn(
    `Per-command auth only reports: every command passes (SVC_COMMAND_AUTH_REPORT_ONLY).${weakened} ` +
      'See GET /svc/api/command-auth/report.',
  );
  modules.lab.offers.lab.onEnd(({ id }) => {
    const summary = reportOnlyStats.summary(id);
    if (summary !== undefined) log.info(`Command check, report of session ${id}: ${summary}`);
  });
  return {
    stop: () => {
      const summary = reportOnlyStats.summary() ?? 'no command would have been refused';
      log.info(`Command check, report of this run: ${reportOnlyStats.checked} commands checked, ${summary}`);
    },
  };
}
