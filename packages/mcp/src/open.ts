import type { Caller } from '@svc/auth-core';
import type { AgentDirectory } from '@svc/device-lab';
import type { Module } from '@svc/module';
import { type AgentLabNeeds, agentLab, type Reads } from './agent-lab.ts';
import { LocalWebDriver } from './local-web-driver.ts';
import type { AgentLab } from './ports.ts';

interface Needs
  extends Omit<AgentLabNeeds, 'webDriver'>,
    Omit<ConstructorParameters<typeof LocalWebDriver>[0], 'sessions'> {
  readonly runningSessions: ConstructorParameters<typeof LocalWebDriver>[0]['sessions'];
  readonly agents: Pick<AgentDirectory, 'note'>;
}

/** What agents do in the lab. The MCP library itself is loaded with their first message (`@svc/mcp/serve`). */
export interface Agents {
  /**
   * Sends WebDriver requests of agents through the gate of this server, which checks them like those of other clients.
   */
  readonly webDriver: LocalWebDriver;
  /** Notes that an agent used a tool, or another message if `tool` is null. */
  note(caller: Caller, tool: string | null): void;
  /** Returns what tools call for an agent. */
  lab(reads: Reads): AgentLab;
}

/** Opens the lab for agents. Its messages arrive through a protocol, so it has no handlers of the API. */
export function openAgents({ runningSessions, agents, ...needs }: Needs): Module<Agents> {
  const webDriver = new LocalWebDriver({ ...needs, sessions: runningSessions });
  return {
    offers: {
      webDriver,
      note: (caller, tool) => agents.note(caller, tool),
      lab: (reads) => agentLab({ ...needs, webDriver: () => webDriver.ofAgents() }, reads),
    },
    handlers: {},
    schedules: [],
    metrics: [],
    close: async () => undefined,
  };
}
