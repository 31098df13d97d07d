import type { AgentClaim, Clock } from '@svc/auth-core';
import { counted } from '../counted.ts';
import { CreateRefused } from '../create-refused.ts';
import type { DriverSession, SessionAgent } from '../driver-session.ts';
import type { DriverSessions } from '../driver-sessions.ts';
import type { Lease, LeaseAgent, LeasedTimeStore } from './lease.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Time (ms) after which changed times of leases are stored again. A crash forgets at most so much of them. */
const STORE_MS = 10_000;
/** Maximum number of agents for which the time of ended sessions is cached. */
const MOST_CACHED = 1_000;

/** An agent with the limits that its token sets. */
type LimitedAgent = Pick<AgentClaim, 'id' | 'sessions' | 'minutes'>;

/** Total time that the ended sessions of one agent ran on one day. */
interface Used {
  /** Start of the day (ms since 1970). */
  readonly day: number;
  readonly ms: number;
}

type LeaseOfAgent = Lease & { readonly agent: LeaseAgent };

/**
 * Enforces the limits that `svc-mcp` tokens set for the sessions of agents (contract 12). A day begins at 00:00 UTC.
 * The times of ended sessions and of leases are stored, so that a restart does not reset them.
 */
export class AgentLimits {
  readonly #sessions: Pick<DriverSessions, 'running' | 'msOfAgent'>;
  readonly #clock: Clock;
  /** Returns the leases of agents. */
  readonly #leases: () => LeaseOfAgent[];
  /** For each session that is starting: its agent, and its phone or null if no phone was reserved. */
  readonly #starting = new Set<{ readonly id: string; readonly udid: string | null }>();
  /** Cached time that ended sessions ran on one day, by the id of the agent. */
  readonly #used = new Map<string, Used>();
  /** Time for which agents with a limit of minutes held phones without a session on one day, by the id of the agent. */
  readonly #leased = new Map<string, Used>();
  readonly #times: LeasedTimeStore | undefined;
  /** Ids of agents whose time of leases has changed since it was stored. */
  readonly #unstored = new Set<string>();
  #storedAt: number;
  #countedAt: number;

  constructor(
    sessions: Pick<DriverSessions, 'running' | 'msOfAgent'>,
    clock: Clock,
    leases: () => LeaseOfAgent[] = () => [],
    times?: LeasedTimeStore,
  ) {
    this.#sessions = sessions;
    this.#clock = clock;
    this.#leases = leases;
    this.#times = times;
    this.#countedAt = clock.now();
    this.#storedAt = this.#countedAt;
    const day = this.#countedAt - (this.#countedAt % DAY_MS);
    for (const { id, ms } of times?.leasedTimes(day) ?? []) this.#leased.set(id, { day, ms });
  }

  /** Throws `CreateRefused` if another session would exceed a limit that the agent's token sets. */
  check({ id, sessions, minutes }: LimitedAgent): void {
    if (sessions !== null && this.#running(id).length + this.#startingOf(id).length >= sessions)
      throw outOfSessions(sessions);
    if (minutes !== null && this.usedMs(id) >= minutes * MINUTE_MS) throw outOfMinutes(minutes);
  }

  /**
   * Throws `CreateRefused` if the agent would hold more phones than its token allows sessions. An agent holds the
   * phones of its sessions and of its leases; a session on a leased phone holds no other phone.
   * @param udid phone that the agent is about to hold, or null if it is not known yet
   */
  checkPhone({ id, sessions }: LimitedAgent, udid: string | null): void {
    if (sessions === null) return;
    const phones = [
      ...this.#running(id).map(({ device }) => device?.udid ?? null),
      ...this.#startingOf(id).map((start) => start.udid),
      ...this.#leases().flatMap((lease) => (lease.agent.id === id ? lease.udid : [])),
      udid,
    ];
    const known = new Set(phones.filter((each) => each !== null));
    if (known.size + phones.filter((each) => each === null).length > sessions) throw outOfSessions(sessions);
  }

  /**
   * Counts a session as starting on a phone, or on an unknown phone if `udid` is null.
   * @returns a function to call once the session runs or has failed to start, so that it no longer counts as starting
   */
  begin({ id }: LimitedAgent, udid: string | null = null): () => void {
    const start = { id, udid };
    this.#starting.add(start);
    return () => this.#starting.delete(start);
  }

  /**
   * @returns the time (ms since 1970) until which the agent's minutes last if it only holds one phone from now on, or
   * infinity if they have no limit. Throws `CreateRefused` if they are used up.
   */
  lastingUntil({ id, minutes }: LimitedAgent): number {
    if (minutes === null) return Number.POSITIVE_INFINITY;
    const left = minutes * MINUTE_MS - this.usedMs(id);
    if (left <= 0) throw outOfMinutes(minutes);
    return this.#clock.now() + left;
  }

  /**
   * Counts the time since the last call towards the minutes of agents that hold a leased phone without a session on it.
   * Called every second, and stores the times every few seconds. Throws if they cannot be stored; they are then stored
   * later.
   */
  countLeases(): void {
    const now = this.#clock.now();
    const day = now - (now % DAY_MS);
    for (const [id, used] of this.#leased) if (used.day !== day) this.#leased.delete(id);
    for (const lease of this.#leases()) this.#count(lease, day, now);
    this.#countedAt = now;
    if (Math.abs(now - this.#storedAt) >= STORE_MS) this.#store(day, now);
  }

  /**
   * Counts the time of a lease that ends now. Without it, an agent that leases a phone again and again for less than
   * the time between two calls of `countLeases` would use no minutes.
   */
  leaseEnds(lease: LeaseOfAgent): void {
    const now = this.#clock.now();
    this.#count(lease, now - (now % DAY_MS), now);
  }

  #count({ udid, createdAt, agent }: LeaseOfAgent, day: number, now: number): void {
    if (agent.minutes === null) return;
    if (this.#running(agent.id).some(({ device }) => device?.udid === udid)) return;
    const ms = Math.max(0, now - Math.max(this.#countedAt, createdAt, day));
    const before = this.#leased.get(agent.id);
    this.#leased.set(agent.id, { day, ms: (before?.day === day ? before.ms : 0) + ms });
    this.#unstored.add(agent.id);
  }

  #store(day: number, now: number): void {
    this.#storedAt = now;
    if (this.#unstored.size === 0) return;
    const times = [...this.#unstored].flatMap((id) => {
      const ms = this.#leased.get(id)?.ms;
      return ms === undefined ? [] : { id, ms };
    });
    this.#times?.saveLeasedTimes(day, times);
    this.#unstored.clear();
  }

  /** Returns how long (ms) the sessions and leases of an agent took today, all together. */
  usedMs(id: string): number {
    const now = this.#clock.now();
    const day = now - (now % DAY_MS);
    const running = this.#running(id).map(({ startedAt }) => Math.max(0, now - Math.max(startedAt, day)));
    const leased = this.#leased.get(id);
    const others = this.#endedMs(id, day) + (leased?.day === day ? leased.ms : 0);
    return running.reduce((sum, ms) => sum + ms, others);
  }

  /** @returns why a running session has to end now, or null if the agent has minutes left */
  excessOf({ id, minutes }: Pick<SessionAgent, 'id' | 'minutes'>): string | null {
    if (minutes === null || this.usedMs(id) < minutes * MINUTE_MS) return null;
    return outOfMinutes(minutes).message;
  }

  /** Discards the cached time of an agent, because one of its sessions has ended. */
  sessionEnded({ agent }: DriverSession): void {
    if (agent !== undefined) this.#used.delete(agent.id);
  }

  #startingOf(id: string) {
    return [...this.#starting].filter((start) => start.id === id);
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

function outOfSessions(sessions: number): CreateRefused {
  return limitReached(`${counted(sessions, 'session')} at once`);
}

function outOfMinutes(minutes: number): CreateRefused {
  return limitReached(`${counted(minutes, 'minute')} of sessions a day, and they are used up`);
}

function limitReached(limit: string): CreateRefused {
  return new CreateRefused('agent-limit', `limit_reached: the token of this agent allows ${limit}`);
}
