import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  isListed,
  isRecord,
  LOCAL_ORIGIN,
  type Log,
  readCredentials,
  stripCredentials,
} from '@svc/auth-core';
import {
  type DeviceLab,
  endOfCause,
  NoMatchingDevice,
  type Reservation,
  type SessionEnd,
  SessionLimitReached,
} from '@svc/device-lab';
import {
  type Admission,
  assignDevice,
  type Gate,
  type GateContext,
  invalidArgument,
  notCreated,
  requestedDevice,
} from '@svc/webdriver-gate';
import type { CreateResult, ListedSession, UmbrellaDriver } from './appium-types.ts';

interface LifecycleOptions {
  readonly gate: Gate;
  readonly lab: DeviceLab;
  readonly contexts: AsyncLocalStorage<GateContext>;
  readonly log: Log;
}

/** Answer to the create of the start-up check: it has come as far as any create without a driver. */
export const PROBE_REFUSED = 'the start-up check of svc starts no session';

const ENDED_BY_CLIENT: SessionEnd = { category: null, reason: null };
const OVERRIDDEN: SessionEnd = {
  category: 'Session Lost',
  reason: 'another session took its place (--session-override)',
};

/** Tells the lab of every session Appium begins and ends. */
export class Lifecycle {
  readonly #gate: Gate;
  readonly #lab: DeviceLab;
  readonly #contexts: AsyncLocalStorage<GateContext>;
  readonly #log: Log;
  /** By session id: who runs it, and what it is to be filed under once it is over. */
  readonly #running = new Map<string, { readonly umbrella: UmbrellaDriver; end: SessionEnd | undefined }>();

  constructor({ gate, lab, contexts, log }: LifecycleOptions) {
    this.#gate = gate;
    this.#lab = lab;
    this.#contexts = contexts;
    this.#log = log;
    lab.drivenBy(this);
    lab.onEnd(({ id }) => this.#running.delete(id));
  }

  /** Appium's `createSession` hook. A phone is held from here on; the owner is recorded before anybody is told. */
  async create(next: () => Promise<unknown>, driver: unknown, sets: readonly unknown[]): Promise<unknown> {
    const capabilities = onlyOneOf(sets);
    const admission = await this.#admissionOf(capabilities);
    const place = this.#reserve(admission, capabilities);
    let result: CreateResult;
    try {
      if (place.device !== null) assignDevice(capabilities as Record<string, unknown>, place.device.udid);
      result = (await next()) as CreateResult;
    } catch (error) {
      place.cancel();
      throw error;
    }
    if (result.error !== undefined || result.value === undefined) place.cancel();
    else await this.#open(place, admission, driver as UmbrellaDriver, result.value);
    return result;
  }

  /** Ends a session for real, its driver included. */
  async end(id: string, end: SessionEnd): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.end = end;
    const { error } = await running.umbrella.deleteSession(id);
    if (error !== undefined)
      this.#log.warn('A session ended with trouble', { session: id, cause: error.message });
  }

  /** A command was answered in the driver's place: its client is still there. */
  async keepAlive(id: string): Promise<void> {
    const inner = this.#running.get(id)?.umbrella.sessions[id];
    if (inner?.noCommandTimer) await inner.startNewCommandTimeout?.();
  }

  /** Appium's session list, cut to what its caller may drive (specification 5.7.8); its errors pass unchanged. */
  async list(next: () => Promise<unknown>): Promise<unknown> {
    const sessions = await next();
    if (!this.#gate.checksCommands || !Array.isArray(sessions)) return sessions;
    const context = this.#contexts.getStore();
    const caller = context?.kind === 'listing' ? context.caller : null;
    return (sessions as ListedSession[]).filter(({ id }) => isListed(caller, this.#lab.sessions.ownerOf(id)));
  }

  /** Decided in the gate; a create that did not come through it (another plugin's) is decided here. */
  async #admissionOf(capabilities: unknown): Promise<Admission> {
    const context = this.#contexts.getStore();
    if (context?.kind === 'create') return context.admission;
    if (context?.kind === 'probe') throw invalidArgument(PROBE_REFUSED);
    const taken = readCredentials(capabilities);
    stripCredentials(capabilities);
    return await this.#gate.admission.admit(taken, LOCAL_ORIGIN);
  }

  #reserve(admission: Admission, capabilities: unknown): Reservation {
    try {
      return this.#lab.reserve({
        ...requestedDevice(capabilities),
        teamId: admission.teamId,
        maySee: admission.maySee,
        ownerId: admission.caller?.account.id ?? null,
        healingTiers: admission.healingTiers,
      });
    } catch (error) {
      if (error instanceof NoMatchingDevice || error instanceof SessionLimitReached)
        throw notCreated(error.message);
      throw error;
    }
  }

  async #open(
    place: Reservation,
    admission: Admission,
    umbrella: UmbrellaDriver,
    [id, capabilities]: readonly [string, Record<string, unknown>, string?],
  ): Promise<void> {
    try {
      place.open(id, capabilities);
    } catch (error) {
      this.#log.error('A session could not be recorded and is ended', { session: id, cause: String(error) });
      await umbrella.deleteSession(id);
      place.cancel();
      throw notCreated('the session could not be recorded, try again', 503);
    }
    this.#watch(id, umbrella);
    const owner = admission.caller?.account.id ?? 'none';
    if (admission.lacksCredentials)
      this.#log.warn('Session created without valid credentials', { session: id });
    else this.#log.info('Session created', { session: id, owner });
  }

  /**
   * Sees every way a session ends. Plugin hooks do not: they are skipped for sessions created at the same time and
   * for those another create overrides.
   */
  #watch(id: string, umbrella: UmbrellaDriver): void {
    const inner = umbrella.sessions[id];
    if (inner === undefined) {
      this.#lab.end(id, endOfCause('the session was gone at once'));
      return;
    }
    this.#running.set(id, { umbrella, end: undefined });
    let end: SessionEnd | undefined;
    let deleting = false;
    const original = inner.deleteSession;
    inner.deleteSession = async (...args) => {
      deleting = true;
      const overridden = this.#contexts.getStore()?.kind === 'create' ? OVERRIDDEN : ENDED_BY_CLIENT;
      try {
        return await original.apply(inner, args);
      } finally {
        this.#lab.end(id, end ?? this.#running.get(id)?.end ?? overridden);
      }
    };
    inner.eventEmitter?.once('onUnexpectedShutdown', (cause?: Error) => {
      const lost = endOfCause(cause?.message ?? 'the driver shut down unexpectedly');
      end = lost;
      // A driver that only says so, without deleting its session, has lost it all the same.
      setImmediate(() => {
        if (!deleting) this.#lab.end(id, lost);
      });
    });
  }
}

/**
 * Appium has room for three sets of capabilities and runs one of them. Over HTTP they are one; another plugin could
 * have one checked and another one run.
 */
function onlyOneOf(sets: readonly unknown[]): unknown {
  const given = new Set(sets.filter((set) => isRecord(set) && ('alwaysMatch' in set || 'firstMatch' in set)));
  if (given.size > 1) throw invalidArgument('different capabilities are given at once');
  return [...given][0] ?? sets[0];
}
