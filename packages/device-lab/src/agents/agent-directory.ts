import {
  type Account,
  type Audit,
  actorOf,
  type Caller,
  type Clock,
  isOverrideAdmin,
  type Log,
  Refusal,
  type Stores,
} from '@svc/auth-core';
import type { McpScope } from '@svc/contract';
import type { DeviceLab } from '../device-lab.ts';
import type { DriverSession } from '../driver-session.ts';

/** An agent as `GET /agents` shows it: an `svc-mcp` token with all tokens minted from it. */
export interface AgentView {
  /** Id (`jti`) of the agent's `svc-mcp` token. */
  readonly id: string;
  readonly owner: Pick<Account, 'id' | 'email'>;
  readonly scopes: readonly McpScope[];
  /** Time of the agent's last message (ms since 1970), or null if it has sent none since the server started. */
  readonly lastAt: number | null;
  /** Tool that the agent called last, or null if it has called none since the server started. */
  readonly lastTool: string | null;
  readonly expiresAt: number;
  /** Running sessions of the agent. */
  readonly sessions: readonly DriverSession[];
}

interface KnownAgent extends Omit<AgentView, 'owner' | 'sessions'> {
  readonly accountId: string;
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'endSession'>;
  readonly stores: Pick<Stores, 'accounts' | 'revocations' | 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum number of agents in memory. If there are more, the agent that has been silent for longest is removed. */
const MOST_AGENTS = 1_000;

/**
 * Keeps track of the agents that use this server and of their last activity, in memory only. After a restart, an agent
 * is listed again when it sends a message or while one of its sessions runs.
 */
export class AgentDirectory {
  readonly #tools: Tools;
  /** Agents by id, ordered by their last message, oldest first. */
  readonly #known = new Map<string, KnownAgent>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Records that an agent sent a message. `tool` is the tool that the message calls, or null for other messages. */
  note({ account, credential, expiresAt }: Caller, tool: string | null): void {
    if (credential.agent === null || expiresAt === null) return;
    const { id } = credential.agent;
    const before = this.#known.get(id);
    this.#known.delete(id);
    this.#known.set(id, {
      id,
      accountId: account.id,
      scopes: credential.mcpScopes ?? [],
      lastAt: this.#tools.clock.now(),
      lastTool: tool ?? before?.lastTool ?? null,
      expiresAt: Math.max(expiresAt, before?.expiresAt ?? 0),
    });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_AGENTS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** @returns the caller's own agents, or all agents for an override admin, most recently active first */
  list(caller: Caller): AgentView[] {
    const all = isOverrideAdmin(caller);
    return this.#live()
      .filter(({ accountId }) => all || accountId === caller.account.id)
      .flatMap((agent) => this.#viewOf(agent));
  }

  /** Stops an agent: revokes its tokens, so that the next request is refused, and ends its sessions. */
  async stop(caller: Caller, id: string): Promise<void> {
    this.#revoke(caller, [this.seen(caller, id)]);
    await this.#endSessions();
  }

  /** @returns an agent that `list` shows to the caller. Throws `not_found` for every other id. */
  seen(caller: Caller, id: string): KnownAgent {
    const agent = this.#live().find((each) => each.id === id);
    const isSeen = agent !== undefined && (agent.accountId === caller.account.id || isOverrideAdmin(caller));
    if (!isSeen) throw new Refusal('not_found', 'unknown agent');
    return agent;
  }

  /** Stops all agents that the server knows. The route admits only override admins. */
  async stopAll(caller: Caller): Promise<void> {
    this.#revoke(caller, this.#live());
    await this.#endSessions();
  }

  /** Ends the sessions of agents whose token has expired or was revoked, or whose account is no longer Active. */
  sweep(): void {
    this.#endSessions().catch((error: unknown) => {
      this.#tools.log.error('Sessions of stopped agents could not be ended', { cause: String(error) });
    });
  }

  #revoke(caller: Caller, agents: readonly KnownAgent[]): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      for (const { id, accountId, expiresAt } of agents) {
        tx.revocations.add({ id, accountId, cascades: true, expiresAt });
        audit.record(tx, 'authn_token_revoked', { ...actorOf(caller), target: id, reason: 'agent stopped' });
      }
    });
  }

  async #endSessions(): Promise<void> {
    const { lab } = this.#tools;
    const ended = lab.sessions.running().filter((session) => this.#isOver(session));
    const end = { category: null, reason: 'the token of the agent has ended' };
    await Promise.all(ended.map(({ id }) => lab.endSession(id, end)));
  }

  #isOver({ agent, ownerId }: DriverSession): boolean {
    if (agent === undefined) return false;
    const { stores, clock } = this.#tools;
    if (clock.now() >= agent.until || stores.revocations.find(agent.id) !== undefined) return true;
    return ownerId !== null && stores.accounts.byId(ownerId)?.status !== 'Active';
  }

  /** Returns the agents whose tokens are valid, including agents that are only known from a running session. */
  #live(): KnownAgent[] {
    const { lab, stores, clock } = this.#tools;
    const agents = new Map(this.#known);
    for (const { agent, ownerId } of lab.sessions.running()) {
      if (agent === undefined || ownerId === null || agents.has(agent.id)) continue;
      const unseen = { scopes: [], lastAt: null, lastTool: null, expiresAt: agent.until };
      agents.set(agent.id, { id: agent.id, accountId: ownerId, ...unseen });
    }
    return [...agents.values()]
      .filter(({ id, expiresAt }) => clock.now() < expiresAt && stores.revocations.find(id) === undefined)
      .reverse();
  }

  #viewOf({ accountId, ...agent }: KnownAgent): AgentView[] {
    const { lab, stores } = this.#tools;
    const account = stores.accounts.byId(accountId);
    if (account?.status !== 'Active') return [];
    const sessions = lab.sessions.running().filter((session) => session.agent?.id === agent.id);
    return [{ ...agent, owner: { id: account.id, email: account.email }, sessions }];
  }
}
