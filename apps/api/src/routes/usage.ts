import { routes } from '@svc/contract';
import type { UseTimes } from '@svc/device-lab';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the route that shows how much the phones were used in the last 7 days. */
export function usageRoutes(api: App, { services: { use }, reads }: HttpContext): void {
  handle(api, routes.labUsage, async ({ caller }) => {
    const { from, to, phones, teams } = await use.week(caller, (steps) => reads.turns.all(steps));
    return {
      from: instant(from),
      to: instant(to),
      phones: phones.map(({ device: { udid, name }, team, times }) => ({
        udid,
        name,
        team,
        ...secondsOf(times),
      })),
      teams: teams?.map(({ team, phones, times }) => ({ team, phones, ...secondsOf(times) })) ?? null,
    };
  });
}

function secondsOf({ presentMs, busyMs, leasedMs, waitedMs }: UseTimes) {
  const seconds = (ms: number) => Math.round(ms / 1000);
  return {
    presentSeconds: seconds(presentMs),
    busySeconds: seconds(busyMs),
    leasedSeconds: seconds(leasedMs),
    waitedSeconds: seconds(waitedMs),
  };
}
