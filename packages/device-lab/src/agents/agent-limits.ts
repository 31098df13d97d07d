import type { AgentClaim, Clock } from '@svc/auth-core';
import type { DriverSession, SessionAgent } from '../driver-session.ts';
import type { DriverSessions } from '../driver-sessions.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Maximum number of agents for which the time of ended sessions is cached. */
const MOST_CACHED = 1_000;

/** Thrown if a session would exceed a limit of its agent's token. The message is sent to the client. */
export class AgentLimitReached extends Error {
  constructor(limit: string) {
    super(`limit_reached: the token of this agent allows ${limit}`);
    this.name = 'AgentLimitReached';
  }
}

/** An agent with the limits that its token sets. */
type LimitedAgent = Pick<AgentClaim, 'id' | 'sessions' | 'minutes'>;

/** Total time that the ended sessions of one agent ran on one day. */
interface Used {
  /** Start of the day (ms since 1970). */
  readonly day: number;
  readonly ms: number;
}

/**
 * Enforces the limits that `svc-mcp` tokens set for the sessions of agents (contract 12). A day begins at 00:00 UTC.
 * The time of ended sessions is read from the store, so that a restart does not reset it, and then cached.
 */
export class AgentLimits {
  readonly #sessions: Pick<DriverSessions, 'running' | 'msOfAgent'>;
  readonly #clock: Clock;
  /** Number of sessions that are starting, by the id of the agent. */
  readonly #starting = new Map<string, number>();
  /** Cached time that ended sessions ran on one day, by the id of the agent. */
  readonly #used = new Map<string, Used>();

  constructor(sessions: Pick<DriverSessions, 'running' | 'msOfAgent'>, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Throws `AgentLimitReached` if another session would exceed a limit that the agent's token sets. */
  check({ id, sessions, minutes }: LimitedAgent): void {
    if (sessions !== null && this.#running(id).length + (this.#starting.get(id) ?? 0) >= sessions)
      throw new AgentLimitReached(`${counted(sessions, 'session')} at once`);
    if (minutes !== null && this.usedMs(id) >= minutes * MINUTE_MS) throw outOfMinutes(minutes);
  }

  /**
   * Counts a session as starting.
   * @returns a function to call once the session runs or has failed to start, so that it no longer counts as starting
   */
  begin({ id }: LimitedAgent): () => void {
    this.#starting.set(id, (this.#starting.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#starting.get(id) ?? 1) - 1;
      if (left > 0) this.#starting.set(id, left);
      else this.#starting.delete(id);
    };
  }

  /** Returns how long (ms) the sessions of an agent took today, all together. */
  usedMs(id: string): number {
    const now = this.#clock.now();
    const day = now - (now % DAY_MS);
    const running = this.#running(id).map(({ startedAt }) => Math.max(0, now - Math.max(startedAt, day)));
    return running.reduce((sum, ms) => sum + ms, this.#endedMs(id, day));
  }

  /** @returns why a running session has to end now, or null if the agent has minutes left */
  excessOf({ id, minutes }: SessionAgent): string | null {
    if (minutes === null || this.usedMs(id) < minutes * MINUTE_MS) return null;
    return outOfMinutes(minutes).message;
  }

  /** Discards the cached time of an agent, because one of its sessions has ended. */
  sessionEnded({ agent }: DriverSession): void {
    if (agent !== undefined) this.#used.delete(agent.id);
  }

  #running(id: string): DriverSession[] {
    return this.#sessions.running().filter(({ agent }) => agent?.id === id);
  }

  #endedMs(id: string, day: number): number {
    const known = this.#used.get(id);
    if (known?.day === day) return known.ms;
    const ms = this.#sessions.msOfAgent(id, day);
    if (this.#used.size >= MOST_CACHED) this.#used.clear();
    this.#used.set(id, { day, ms });
    return ms;
  }
}

function outOfMinutes(minutes: number): AgentLimitReached {
  return new AgentLimitReached(`${counted(minutes, 'minute')} of sessions a day, and they are used up`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
