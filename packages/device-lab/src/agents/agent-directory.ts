import {
  type Account,
  type AgentClaim,
  type Audit,
  actorOf,
  type Caller,
  type Cascade,
  type Clock,
  currentAgentGroup,
  isGroup,
  isOverrideAdmin,
  isRevoked,
  type Log,
  Refusal,
  type Stores,
  type StoreTransaction,
} from '@svc/auth-core';
import type { McpScope } from '@svc/contract';
import type { DeviceLab } from '../device-lab.ts';
import type { DriverSession } from '../driver-session.ts';
import type { SessionEnd } from '../driver-sessions.ts';

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
  /** Limits that the token sets. */
  readonly limits: Pick<AgentClaim, 'sessions' | 'minutes'>;
  /** How long (ms) the agent's sessions took today (UTC), all together. */
  readonly usedMs: number;
  /** Running sessions of the agent. */
  readonly sessions: readonly DriverSession[];
}

interface KnownAgent extends Omit<AgentView, 'owner' | 'sessions' | 'usedMs'> {
  readonly accountId: string;
  /**
   * Ids that the token names as its parents. These are the ids of the credentials from which the token was minted, and
   * the id of the group of all agents, which is revoked in order to stop all agents.
   */
  readonly parents: readonly string[];
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'endSession' | 'onStart' | 'agentLimits' | 'heldLeases'>;
  readonly stores: Pick<Stores, 'accounts' | 'revocations' | 'transaction'>;
  readonly audit: Audit;
  readonly cascade: Pick<Cascade, 'agentEnded'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Recorded as the cause of the end of a session whose agent was stopped, or whose token or account is no longer valid.
 */
const STOPPED: SessionEnd = { category: null, reason: 'the token of the agent has ended' };
/** Expiry of a revocation that is never removed. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Maximum number of agents in memory. If there are more, the agent that has been silent for longest is removed, of
 * those of the account that has the most, so that one account cannot hide the agents of others.
 */
const MOST_AGENTS = 1_000;

/**
 * Keeps track of the agents that use this server and of their last activity, in memory only. After a restart, an agent
 * is listed again when it sends a message or while one of its sessions runs.
 */
export class AgentDirectory {
  readonly #tools: Tools;
  /** Agents by id, ordered by their last message, oldest first. */
  readonly #known = new Map<string, KnownAgent>();
  /**
   * For each running session that an agent created: the `parents` of the credential with which it was created, by
   * session id.
   */
  readonly #createdWith = new Map<string, readonly string[]>();

  constructor(tools: Tools) {
    this.#tools = tools;
    // End a session whose agent was stopped while the session started.
    tools.lab.onStart(({ id }, { caller }) => {
      const credential = caller?.credential;
      if (credential?.agent == null) return;
      this.#createdWith.set(id, credential.parents);
      if (isRevoked(credential, tools.stores.revocations))
        this.#logFailure(tools.lab.endSession(id, STOPPED));
    });
  }

  /**
   * Records that an agent sent a message to the MCP server or a request to the REST API. `tool` is the tool that the
   * message calls, or null.
   */
  note({ account, credential, expiresAt }: Caller, tool: string | null): void {
    if (credential.agent === null || expiresAt === null) return;
    const { id, sessions, minutes } = credential.agent;
    const before = this.#known.get(id);
    this.#known.delete(id);
    this.#known.set(id, {
      id,
      accountId: account.id,
      scopes: credential.agent.mcpScopes,
      lastAt: this.#tools.clock.now(),
      lastTool: tool ?? before?.lastTool ?? null,
      expiresAt: Math.max(expiresAt, before?.expiresAt ?? 0),
      limits: { sessions, minutes },
      parents: parentsOfAgent(credential.parents, id),
    });
    if (this.#known.size > MOST_AGENTS) this.#removeOne();
  }

  #removeOne(): void {
    const counts = new Map<string, number>();
    for (const { accountId } of this.#known.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const { id, accountId } of this.#known.values()) {
      if (counts.get(accountId) === most) return void this.#known.delete(id);
    }
  }

  /**
   * Reads the caller's own agents, or all agents if `isOverrideAdmin` is true for the caller, most recently active
   * first. Each agent is read when it is requested.
   */
  *read(caller: Caller): Generator<AgentView, void, undefined> {
    const all = isOverrideAdmin(caller);
    for (const agent of this.#live())
      if (all || agent.accountId === caller.account.id) yield* this.#viewOf(agent);
  }

  /** Stops an agent: revokes its tokens, so that the next request is refused, and ends its sessions. */
  async stop(caller: Caller, id: string): Promise<void> {
    const agent = this.seen(caller, id);
    this.#tools.stores.transaction((tx) => this.#revoke(tx, caller, [agent]));
    await this.#endSessions();
  }

  /** @returns an agent that `list` shows to the caller. Throws `not_found` for every other id. */
  seen(caller: Caller, id: string): KnownAgent {
    const agent = this.#live().find((each) => each.id === id);
    const isSeen = agent !== undefined && (agent.accountId === caller.account.id || isOverrideAdmin(caller));
    if (!isSeen) throw new Refusal('not_found', 'unknown agent');
    return agent;
  }

  /**
   * Stops all agents, including agents that this server has not seen: revokes the group of all `svc-mcp` tokens, so
   * that the next request of each agent is refused, and ends the sessions of agents. The route admits only Super
   * admins.
   */
  async stopAll(caller: Caller): Promise<void> {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      // Revoke not only the group of all agents but also each known agent. If this server is killed now, sessions on
      // nodes continue. After the restart, the server knows only the agent ids of these sessions and not the groups of
      // their tokens. So it ends these sessions only if their agent ids are revoked.
      this.#revoke(tx, caller, this.#all());
      const id = currentAgentGroup(tx.revocations);
      tx.revocations.add({
        id,
        accountId: caller.account.id,
        cascades: true,
        expiresAt: NEVER,
        sourceId: null,
      });
      const reason = 'every agent stopped';
      audit.record(tx, 'authn_token_revoked', { ...actorOf(caller), target: 'svc-mcp', reason });
    });
    await this.#endSessions();
  }

  /**
   * Ends the sessions and leases of agents whose token has expired or was revoked, or whose account is no longer
   * Active.
   */
  sweep(): void {
    const { lab, log } = this.#tools;
    try {
      lab.agentLimits.countLeases();
    } catch (error) {
      log.warn('The time of leases of agents could not be stored, trying again', { cause: String(error) });
    }
    this.#logFailure(this.#endSessions());
  }

  #logFailure(ending: Promise<void>): void {
    ending.catch((error: unknown) => {
      this.#tools.log.error('Sessions of stopped agents could not be ended', { cause: String(error) });
    });
  }

  #revoke(tx: StoreTransaction, caller: Caller, agents: readonly KnownAgent[]): void {
    for (const { id, accountId, expiresAt } of agents) {
      this.#tools.cascade.agentEnded(tx, { id, accountId, expiresAt });
      const reason = 'agent stopped';
      this.#tools.audit.record(tx, 'authn_token_revoked', { ...actorOf(caller), target: id, reason });
    }
  }

  async #endSessions(): Promise<void> {
    const { lab } = this.#tools;
    lab.heldLeases.sweep();
    const running = lab.sessions.running();
    const ids = new Set(running.map(({ id }) => id));
    for (const id of this.#createdWith.keys()) if (!ids.has(id)) this.#createdWith.delete(id);
    await Promise.all(
      running.map(async (session) => {
        const end = this.#endOf(session);
        if (end !== null) await lab.endSession(session.id, end);
      }),
    );
  }

  /** @returns why the session of an agent has to end now, or null if it may continue */
  #endOf({ id, agent, ownerId }: DriverSession): SessionEnd | null {
    if (agent === undefined) return null;
    const { lab, stores, clock } = this.#tools;
    const parents = [...(this.#createdWith.get(id) ?? []), ...(this.#known.get(agent.id)?.parents ?? [])];
    if (clock.now() >= agent.until || this.#isStopped({ id: agent.id, parents })) return STOPPED;
    if (ownerId !== null && stores.accounts.byId(ownerId)?.status !== 'Active') return STOPPED;
    const reason = lab.agentLimits.excessOf(agent);
    return reason === null ? null : { category: null, reason };
  }

  #isStopped({ id, parents }: Pick<KnownAgent, 'id' | 'parents'>): boolean {
    return isRevoked({ id, parents, sourceSignIn: null }, this.#tools.stores.revocations);
  }

  /** Returns the agents whose tokens are valid, most recently active first. */
  #live(): KnownAgent[] {
    const now = this.#tools.clock.now();
    return this.#all().filter((agent) => now < agent.expiresAt && !this.#isStopped(agent));
  }

  /**
   * Returns all agents in memory and all agents of running sessions and leases, most recently active first. Includes
   * agents whose tokens are no longer valid.
   */
  #all(): KnownAgent[] {
    const { lab } = this.#tools;
    const agents = new Map(this.#known);
    for (const { agent, ownerId } of lab.sessions.running()) {
      if (agent === undefined || ownerId === null || agents.has(agent.id)) continue;
      const limits = { sessions: null, minutes: agent.minutes };
      const unseen = {
        scopes: [],
        lastAt: null,
        lastTool: null,
        expiresAt: agent.until,
        limits,
        parents: [],
      };
      agents.set(agent.id, { id: agent.id, accountId: ownerId, ...unseen });
    }
    for (const { agent, ownerId } of lab.heldLeases.ofAgents()) {
      if (agents.has(agent.id)) continue;
      const { sessions, minutes } = agent.credential.agent ?? { sessions: null, minutes: agent.minutes };
      agents.set(agent.id, {
        id: agent.id,
        accountId: ownerId,
        scopes: [],
        lastAt: null,
        lastTool: null,
        expiresAt: agent.until,
        limits: { sessions, minutes },
        parents: agent.credential.parents,
      });
    }
    return [...agents.values()].reverse();
  }

  #viewOf({ accountId, parents: _, ...agent }: KnownAgent): AgentView[] {
    const { lab, stores } = this.#tools;
    const account = stores.accounts.byId(accountId);
    if (account?.status !== 'Active') return [];
    const sessions = lab.sessions.running().filter((session) => session.agent?.id === agent.id);
    const usedMs = lab.agentLimits.usedMs(agent.id);
    return [{ ...agent, owner: { id: account.id, email: account.email }, usedMs, sessions }];
  }
}

/**
 * @returns the parents of an agent's `svc-mcp` token. `parents` are those of any token of the agent, oldest first, so
 * they also contain the ids of the `svc-mcp` token and of tokens that were minted from it.
 */
function parentsOfAgent(parents: readonly string[], agentId: string): readonly string[] {
  const at = parents.indexOf(agentId);
  return at === -1 ? parents : parents.filter((id, index) => index < at || isGroup(id));
}
