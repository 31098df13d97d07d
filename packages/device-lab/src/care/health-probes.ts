import type { Clock, Log } from '@svc/auth-core';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { HeldLeases } from '../leases/held-leases.ts';
import { type HealthLimits, isHealthReason, isSameProblem, judgeHealth, NO_ANSWER } from './judge-health.ts';
import type { OutOfService } from './out-of-service.ts';
import type { ProbeResult } from './probe-phone.ts';

/** What the last successful probe of a phone read. A value that the phone did not tell is null. */
export interface ReadHealth {
  /** Charge of the battery in percent. */
  readonly battery: number | null;
  /** Temperature of the battery in °C. */
  readonly temperature: number | null;
  /** Free storage for apps and data, in bytes. */
  readonly storageFree: number | null;
  /** Time of the probe (ms since 1970). */
  readonly checkedAt: number;
}

interface HealthProbesOptions {
  readonly devices: Pick<Devices, 'list' | 'statusOf' | 'byUdid'>;
  readonly leases: Pick<HeldLeases, 'on'>;
  readonly care: Pick<OutOfService, 'on' | 'putOut' | 'putBack' | 'ofLab'>;
  /** Reads the health of a phone. Never rejects. Does not run the command unless `isFree` returns true. */
  readonly probe: (udid: string, isFree: () => boolean) => Promise<ProbeResult>;
  /** Seconds between two probes of a phone (`SVC_PROBE_SECONDS`); 0 means that phones are not probed. */
  readonly seconds: number;
  readonly limits: HealthLimits;
  readonly clock: Clock;
  readonly log: Log;
}

const PROBES_AT_ONCE = 2;
/** Number of probes in a row without an answer after which a phone goes out of service. */
const MOST_SILENT = 2;

/**
 * Probes the free adb phones of this host, and puts a phone out of service while it has a problem (contract 17.2). A
 * phone on which a session runs or starts, or which is leased, is not probed. What an Admin has put out of service, or
 * what the lab has put out for another reason, stays unchanged.
 */
export class HealthProbes {
  readonly #options: HealthProbesOptions;
  readonly #health = new Map<string, ReadHealth>();
  /** Number of probes in a row that a phone did not answer. */
  readonly #silent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(options: HealthProbesOptions) {
    this.#options = options;
  }

  /** Starts to probe. If probes are off, puts the phones back that an earlier probe has put out of service. */
  start(): void {
    const { seconds, care } = this.#options;
    if (seconds === 0) {
      const out = care.ofLab().filter(({ reason }) => isHealthReason(reason));
      for (const { udid } of out) this.#change(() => care.putBack(udid, 'phones are no longer probed'));
      return;
    }
    this.#timer = setInterval(() => void this.round(), seconds * 1_000).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** @returns what the last probe read, or null if the phone was not probed since the server started */
  of(udid: string): ReadHealth | null {
    return this.#health.get(udid) ?? null;
  }

  /** Probes each phone that is free, a few at the same time. Has no effect while an earlier round runs. Never rejects. */
  async round(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const { devices } = this.#options;
      this.#forgetGone();
      const waiting = devices.list().filter((device) => this.#isProbed(device));
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await this.#probe(next.udid);
      };
      await Promise.all(Array.from({ length: PROBES_AT_ONCE }, work));
    } finally {
      this.#isRunning = false;
    }
  }

  #isProbed({ udid, logs, node }: Device): boolean {
    const { devices, leases } = this.#options;
    if (this.#isStopped || node !== null || logs !== 'adb') return false;
    return devices.statusOf(udid) === 'free' && leases.on(udid) === undefined;
  }

  /** The phone may have been taken, unplugged or given to another source since the round began. */
  #isStillProbed(udid: string): boolean {
    const device = this.#options.devices.byUdid(udid);
    return device !== undefined && this.#isProbed(device);
  }

  async #probe(udid: string): Promise<void> {
    const { probe, limits, clock } = this.#options;
    const isFree = () => this.#isStillProbed(udid);
    if (!isFree()) return;
    const result = await probe(udid, isFree);
    // A phone that was taken meanwhile answers late, and what is known of it then comes from its session.
    if (result === 'skipped' || !isFree()) return;
    if (result === 'silent') {
      const silent = (this.#silent.get(udid) ?? 0) + 1;
      this.#silent.set(udid, silent);
      if (silent >= MOST_SILENT) this.#judged(udid, NO_ANSWER);
      return;
    }
    this.#silent.delete(udid);
    const { battery, temperature, storageFree } = result;
    this.#health.set(udid, { battery, temperature, storageFree, checkedAt: clock.now() });
    this.#judged(udid, judgeHealth(result, limits));
  }

  #judged(udid: string, problem: string | null): void {
    const { care } = this.#options;
    const row = care.on(udid);
    if (row !== null && (row.byId !== null || !isHealthReason(row.reason))) return;
    if (problem === null) {
      if (row !== null) this.#change(() => care.putBack(udid, 'a probe found it well'));
    } else if (row === null || !isSameProblem(row.reason, problem)) {
      this.#change(() => care.putOut(udid, problem, null));
    }
  }

  /** Changes the service of a phone. If the change cannot be stored, the next probe tries again. */
  #change(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.warn('The health of a phone could not be stored', { cause: String(error) });
    }
  }

  #forgetGone(): void {
    const { devices } = this.#options;
    for (const udid of this.#health.keys()) if (devices.byUdid(udid) === undefined) this.#health.delete(udid);
    for (const udid of this.#silent.keys()) if (devices.statusOf(udid) === 'away') this.#silent.delete(udid);
  }
}
