import type { AsyncLocalStorage } from 'node:async_hooks';
import { LOCAL_ORIGIN } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import {
  type Admission,
  type DeviceLab,
  isListed,
  readCredentials,
  type SessionStart,
  type StartResult,
  startFault,
  stripCredentials,
} from '@svc/device-lab';
import {
  type AppiumGate,
  asWebDriverError,
  type GateContext,
  invalidArgument,
  notCreated,
  WebDriverError,
} from '@svc/webdriver-gate';
import { hideAddressIn, hideAgentAddress } from './agent-address.ts';
import { appiumSession } from './appium-session.ts';
import type { CreateResult, ListedSession, UmbrellaDriver } from './appium-types.ts';
import type { DriverCallbacks } from './driver-callbacks.ts';
import { limitIdleTime } from './idle-limit.ts';

type CreateContext = Extract<GateContext, { kind: 'create' }>;

interface LifecycleOptions {
  readonly gate: AppiumGate;
  readonly lab: DeviceLab;
  readonly contexts: AsyncLocalStorage<GateContext>;
  readonly callbacks: Pick<DriverCallbacks, 'during'>;
}

/**
 * Error message in the response to the create-session request that the start-up check sends. It proves that the
 * create-session request got as far as the driver's start.
 */
export const PROBE_REFUSED = 'the start-up check of svc starts no session';

/** Implements Appium's hooks for creating and listing sessions with the device lab. */
export class Lifecycle {
  readonly #gate: AppiumGate;
  readonly #lab: DeviceLab;
  readonly #contexts: AsyncLocalStorage<GateContext>;
  readonly #callbacks: LifecycleOptions['callbacks'];

  constructor({ gate, lab, contexts, callbacks }: LifecycleOptions) {
    this.#gate = gate;
    this.#lab = lab;
    this.#contexts = contexts;
    this.#callbacks = callbacks;
  }

  /**
   * Implements Appium's `createSession` hook. If the driver refuses the session, returns Appium's result, which
   * contains the error. The gate records the outcome in the audit trail, and the reason of a failure also in the log
   * and for `GET /explain`.
   */
  async create(next: () => Promise<unknown>, driver: unknown, sets: readonly unknown[]): Promise<unknown> {
    const context = this.#contexts.getStore();
    const through = context?.kind === 'create' ? context : undefined;
    const start = (reserved: SessionStart) => this.#start(driver as UmbrellaDriver, next, reserved);
    try {
      const wanted = onlyOneOf(sets);
      if (context?.kind === 'probe') throw invalidArgument(PROBE_REFUSED);
      const admission = through?.admission ?? (await this.#admit(wanted));
      const { reservation: reserved, gone } = through ?? {};
      const outcome = await this.#lab.creates.createSession(admission, wanted, start, { reserved, gone });
      if ('refused' in outcome) {
        // The driver's message is not reported, because it may quote the capabilities and the secrets in them.
        this.#failed(through, notCreated('the driver did not start the session'));
        return outcome.refused;
      }
      const { session, answer } = outcome;
      const owner = { ownerId: session.ownerId, caller: through?.admission.caller ?? null };
      this.#gate.sessionCreated(session.id, owner, through?.from ?? LOCAL_ORIGIN);
      if (admission.fromHub !== undefined) this.#gate.sessionCreatedForHub(session.id, admission.fromHub);
      return answer;
    } catch (error) {
      const answer = asWebDriverError(error);
      const isKnown = answer instanceof WebDriverError;
      this.#failed(through, isKnown ? answer : notCreated('the session could not be created'));
      throw answer;
    }
  }

  /** Reports a failure, unless the request came from another plugin, whose sender is not known. */
  #failed(through: CreateContext | undefined, error: WebDriverError): void {
    if (through !== undefined) this.#gate.createFailed(error, through.admission.caller, through.from);
  }

  /**
   * Runs Appium's own `createSession`. Then removes the download addresses of apps, which contain a ticket, from
   * everything that keeps them: the error, the returned capabilities and the driver. A reference to the app library
   * replaces each address.
   */
  async #start(
    umbrella: UmbrellaDriver,
    next: () => Promise<unknown>,
    { apps, device }: SessionStart,
  ): Promise<StartResult<CreateResult>> {
    const answer = (await this.#callbacks.during(umbrella, next).catch((error: unknown) => {
      apps?.hide(error);
      throw error;
    })) as CreateResult;
    const agentUrl = device?.wdaUrl ?? null;
    apps?.hide(answer.error);
    if (agentUrl !== null) hideAddressIn(answer.error, agentUrl);
    if (answer.error !== undefined || answer.value === undefined)
      return { refused: answer, fault: startFault(answer.error) };
    const [id, capabilities] = answer.value;
    const driver = umbrella.sessions[id];
    for (const kept of [capabilities, driver?.caps, driver?.originalCaps]) apps?.hide(kept);
    const { maxIdleSeconds } = this.#lab;
    if (driver !== undefined && maxIdleSeconds > 0) await limitIdleTime(driver, maxIdleSeconds);
    if (agentUrl !== null) hideAgentAddress(capabilities, driver);
    const isInCreate = () => this.#contexts.getStore()?.kind === 'create';
    return { started: appiumSession({ umbrella, id, capabilities, isInCreate }), answer };
  }

  /**
   * Returns Appium's session list without the sessions that the caller is not allowed to drive (specification 5.7.8). A
   * result that is not a list is returned unchanged.
   */
  async list(next: () => Promise<unknown>): Promise<unknown> {
    const own = await next();
    if (!Array.isArray(own)) return own;
    const sessions = [...(own as ListedSession[]), ...this.#onNodes()];
    // While the command check is off, the list contains all sessions except those that came through a hub, because only
    // the hub may give access to them (contract 8.3).
    if (!this.#gate.checksCommands) return sessions.filter(({ id }) => !this.#gate.isGuardedByHub(id));
    const context = this.#contexts.getStore();
    const caller = context?.kind === 'listing' ? context.caller : null;
    return sessions.filter(({ id }) => isListed(caller, this.#lab.sessions.ownerOf(id)));
  }

  #onNodes(): ListedSession[] {
    const remote = this.#lab.sessions.running().filter(({ node }) => node !== null);
    return remote.map(({ id, startedAt, capabilities }) => ({ id, created: startedAt, capabilities }));
  }

  /** Checks the credentials of a request of another plugin, which bypasses the gate. */
  async #admit(capabilities: unknown): Promise<Admission> {
    const taken = readCredentials(capabilities);
    stripCredentials(capabilities);
    return await this.#gate.admission.admit(taken, LOCAL_ORIGIN);
  }
}

/**
 * Selects the capabilities of a create-session request. Appium passes up to three sets and runs one of them. Sets that
 * arrive over HTTP are the same, but another plugin could pass different sets. Different sets are refused, because svc
 * would then check one set while Appium runs another.
 */
function onlyOneOf(sets: readonly unknown[]): unknown {
  let only: unknown;
  for (const set of sets) {
    if (set === only || !isRecord(set) || !('alwaysMatch' in set || 'firstMatch' in set)) continue;
    if (only !== undefined) throw invalidArgument('different capabilities are given in one create');
    only = set;
  }
  return only ?? sets[0];
}
