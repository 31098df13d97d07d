import { type Handlers, instant, mapped } from '@svc/module';
import type { AgentDirectory, AgentView } from './agent-directory.ts';

/** Handlers that list and stop the AI agents that use this server through MCP. */
export function agentHandlers(agents: AgentDirectory): Handlers {
  return {
    listAgents: { list: ({ caller }) => mapped(agents.read(caller), describe) },
    endAgent: {
      authorize: (caller, { id }) => void agents.seen(caller, id),
      answer: ({ caller, params }) => agents.stop(caller, params.id),
    },
    endAgents: ({ caller }) => agents.stopAll(caller),
  };
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
