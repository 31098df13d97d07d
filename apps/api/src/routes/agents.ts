import { routes } from '@svc/contract';
import type { AgentView } from '@svc/device-lab';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes that list and stop the AI agents that use this server through MCP. */
export function agentRoutes(api: App, { services: { agents }, reads }: HttpContext): void {
  handle(api, routes.listAgents, async (request, reply) => {
    const views = mapped(agents.read(request.caller), describe);
    return await reads.sendList({ request, reply }, routes.listAgents, views);
  });

  handle(api, routes.endAgent, async ({ caller, params }) => agents.stop(caller, params.id), {
    authorizeResource: (caller, { id }) => void agents.seen(caller, id),
  });

  handle(api, routes.endAgents, async ({ caller }) => agents.stopAll(caller));
}

function describe({ sessions, lastAt, expiresAt, usedMs, ...agent }: AgentView) {
  return {
    ...agent,
    minutesToday: Math.floor(usedMs / 60_000),
    lastAt: instant(lastAt),
    expiresAt: instant(expiresAt),
    sessions: sessions.map(({ id, device, startedAt }) => ({
      id,
      udid: device?.udid ?? null,
      startedAt: instant(startedAt),
    })),
  };
}
